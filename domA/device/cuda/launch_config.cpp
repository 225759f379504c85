// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/launch_config.h"

namespace pegasus::cuda {

LaunchConfig::LaunchConfig(device::Launch const& launch, device::Dim3 const& grid, CUstream stream) {
  config_.gridDimX = grid[0];
  config_.gridDimY = grid[1];
  config_.gridDimZ = grid[2];
  config_.blockDimX = launch.block[0];
  config_.blockDimY = launch.block[1];
  config_.blockDimZ = launch.block[2];
  config_.sharedMemBytes = launch.dynamic_shared_bytes;
  config_.hStream = stream;
  config_.attrs = attributes_.data();
  device::LaunchAttributes const& wanted = launch.attributes;
  if (launch.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (auto const& size = wanted.cluster)
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {(*size)[0], (*size)[1], (*size)[2]};
  if (auto const& size = wanted.preferred_cluster)
    add(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim = {(*size)[0], (*size)[1],
                                                                                (*size)[2]};
  if (wanted.cluster_scheduling)
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE).clusterSchedulingPolicyPreference =
        static_cast<CUclusterSchedulingPolicy>(*wanted.cluster_scheduling);
  if (wanted.priority) add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = *wanted.priority;
  if (wanted.programmatic)
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  if (wanted.memory_domain)
    add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain =
        static_cast<CUlaunchMemSyncDomain>(*wanted.memory_domain);
  if (auto const& map = wanted.memory_domain_map)
    add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP).memSyncDomainMap = {(*map)[0], (*map)[1]};
  if (wanted.carveout)
    add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout =
        static_cast<unsigned>(*wanted.carveout);
}

CUlaunchAttributeValue& LaunchConfig::add(CUlaunchAttributeID id) {
  CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
  attribute.id = id;
  return attribute.value;
}

} // namespace pegasus::cuda
