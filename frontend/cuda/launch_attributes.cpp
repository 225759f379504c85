// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/launch_attributes.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pegasus::driver {
namespace {

using Size = std::array<unsigned, 3>;

// Returns false if it does not fit on the wire; no device has such clusters.
bool put(Size const& from, std::uint16_t (&to)[3]) {
  constexpr unsigned most = std::numeric_limits<std::uint16_t>::max();
  if (std::ranges::any_of(from, [](unsigned blocks) { return blocks == 0 || blocks > most; })) return false;
  std::ranges::transform(from, to, [](unsigned blocks) { return static_cast<std::uint16_t>(blocks); });
  return true;
}

// Returns INVALID_VALUE if it is beyond the numbers that CUDA gives them.
CUresult put(pegasus_launch_attributes& to, CUlaunchAttributeID id, CUlaunchAttributeValue const& value) {
  auto const given = [&](pegasus_launch_attribute which, bool valid = true) {
    if (!valid) return CUDA_ERROR_INVALID_VALUE;
    to.set |= which;
    return CUDA_SUCCESS;
  };
  auto const& preferred = value.preferredClusterDim;
  switch (id) {
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    if (!put({value.clusterDim.x, value.clusterDim.y, value.clusterDim.z}, to.cluster))
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return given(PEGASUS_LAUNCH_CLUSTER);
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    if (!put({preferred.x, preferred.y, preferred.z}, to.preferred_cluster))
      return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    return given(PEGASUS_LAUNCH_PREFERRED_CLUSTER);
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    to.cluster_scheduling = static_cast<std::uint8_t>(value.clusterSchedulingPolicyPreference);
    return given(PEGASUS_LAUNCH_CLUSTER_SCHEDULING,
                 value.clusterSchedulingPolicyPreference <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    to.priority = value.priority;
    return given(PEGASUS_LAUNCH_PRIORITY);
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    if (value.programmaticStreamSerializationAllowed != 0) return given(PEGASUS_LAUNCH_PROGRAMMATIC);
    to.set &= ~std::uint32_t{PEGASUS_LAUNCH_PROGRAMMATIC};
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    to.memory_domain = static_cast<std::uint8_t>(value.memSyncDomain);
    return given(PEGASUS_LAUNCH_MEMORY_DOMAIN, value.memSyncDomain <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    to.memory_domain_map[0] = value.memSyncDomainMap.default_;
    to.memory_domain_map[1] = value.memSyncDomainMap.remote;
    return given(PEGASUS_LAUNCH_MEMORY_DOMAIN_MAP);
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: {
    auto const carveout = static_cast<int>(value.sharedMemCarveout);
    to.carveout = static_cast<std::int8_t>(carveout);
    return given(PEGASUS_LAUNCH_CARVEOUT, carveout >= -1 && carveout <= 100);
  }
  default: // hints
    return CUDA_SUCCESS;
  }
}

} // namespace

bool has_clusters(Channel const& channel) {
  return attribute(channel, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) != 0;
}

CUresult set_launch_attribute(Channel const& channel, CUlaunchAttributeID id,
                              CUlaunchAttributeValue const& value, LaunchShape& shape, bool& cooperative) {
  if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
    cooperative = value.cooperative != 0;
    return CUDA_SUCCESS;
  }
  if (has_clusters(channel)) return put(shape.attributes, id, value);
  auto const& cluster = value.clusterDim;
  bool const refused =
      id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && (cluster.x != 1 || cluster.y != 1 || cluster.z != 1);
  return refused ? CUDA_ERROR_INVALID_CLUSTER_SIZE : CUDA_SUCCESS;
}

CUlaunchAttributeValue get_launch_attribute(CUlaunchAttributeID id, LaunchShape const& shape,
                                            bool cooperative) {
  pegasus_launch_attributes const& from = shape.attributes;
  auto const given = [&](pegasus_launch_attribute which) { return (from.set & which) != 0; };
  CUlaunchAttributeValue value{};
  switch (id) {
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    value.cooperative = cooperative ? 1 : 0;
    break;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    value.clusterDim = {from.cluster[0], from.cluster[1], from.cluster[2]};
    break;
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
    value.preferredClusterDim = {from.preferred_cluster[0], from.preferred_cluster[1],
                                 from.preferred_cluster[2]};
    break;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    value.clusterSchedulingPolicyPreference = static_cast<CUclusterSchedulingPolicy>(from.cluster_scheduling);
    break;
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    value.priority = from.priority;
    break;
  case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    value.programmaticStreamSerializationAllowed = given(PEGASUS_LAUNCH_PROGRAMMATIC) ? 1 : 0;
    break;
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    value.memSyncDomain = static_cast<CUlaunchMemSyncDomain>(from.memory_domain);
    break;
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    value.memSyncDomainMap = {from.memory_domain_map[0], from.memory_domain_map[1]};
    break;
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    value.sharedMemCarveout = static_cast<unsigned>(int{from.carveout});
    break;
  default:
    break;
  }
  return value;
}

} // namespace pegasus::driver
