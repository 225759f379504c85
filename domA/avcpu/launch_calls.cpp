// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/launch_calls.h"

#include <algorithm>

namespace pegasus::avcpu {
namespace {

device::Launch launch_of(pegasus_launch_request const& request) {
  device::Launch launch;
  std::copy_n(request.grid, 3, launch.grid.begin());
  std::copy_n(request.block, 3, launch.block.begin());
  launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch.cooperative = (request.flags & 1) != 0;
  return launch;
}

// Returns false if one is unknown, or beyond CUDA's enumerations and ranges.
bool read(pegasus_launch_attributes const& from, device::LaunchAttributes& to) {
  constexpr std::uint8_t policies = 4, domains = 2; // CUclusterSchedulingPolicy, CUlaunchMemSyncDomain
  if ((from.set & ~std::uint32_t{PEGASUS_LAUNCH_ALL}) != 0 || from.cluster_scheduling >= policies ||
      from.memory_domain >= domains || from.carveout < -1 || from.carveout > 100)
    return false;
  auto const given = [&](pegasus_launch_attribute which) { return (from.set & which) != 0; };
  auto const dim3 = [](std::uint16_t const(&size)[3]) { return device::Dim3{size[0], size[1], size[2]}; };
  if (given(PEGASUS_LAUNCH_CLUSTER)) to.cluster = dim3(from.cluster);
  if (given(PEGASUS_LAUNCH_PREFERRED_CLUSTER)) to.preferred_cluster = dim3(from.preferred_cluster);
  if (given(PEGASUS_LAUNCH_CLUSTER_SCHEDULING)) to.cluster_scheduling = from.cluster_scheduling;
  if (given(PEGASUS_LAUNCH_PRIORITY)) to.priority = from.priority;
  if (given(PEGASUS_LAUNCH_MEMORY_DOMAIN)) to.memory_domain = from.memory_domain;
  if (given(PEGASUS_LAUNCH_MEMORY_DOMAIN_MAP))
    to.memory_domain_map = {from.memory_domain_map[0], from.memory_domain_map[1]};
  if (given(PEGASUS_LAUNCH_CARVEOUT)) to.carveout = from.carveout;
  to.programmatic = given(PEGASUS_LAUNCH_PROGRAMMATIC);
  return true;
}

} // namespace

Status LaunchCalls::launch(pegasus_launch_request const& request, device::LaunchAttributes const& attributes,
                           Data const& data, device::Function& function, device::Stream* stream) {
  bool const in_arena = !data.arena.empty();
  std::size_t const available = in_arena ? data.arena.size() : data.inline_bytes.size();
  if (request.parameter_bytes > available) return Status::invalid_value;
  device::Launch launch = launch_of(request);
  launch.attributes = attributes;
  if (in_arena) { // the device must see the same bytes at each look
    staging_.assign(data.arena.begin(), data.arena.begin() + request.parameter_bytes);
    launch.parameters = staging_;
  } else {
    launch.parameters = data.inline_bytes.first(request.parameter_bytes);
  }
  return objects_.context().launch(stream, function, launch, *data.slice);
}

Status LaunchCalls::on(pegasus_launch_request const& request, Data const& data, device::Function* function,
                       device::Stream* stream) {
  return launch(request, {}, data, *function, stream);
}

Status LaunchCalls::on(pegasus_launch_with_attributes_request const& request, Data const& data,
                       device::Function* function, device::Stream* stream) {
  device::LaunchAttributes attributes;
  if (!read(request.attributes, attributes)) return Status::invalid_value;
  return launch(request.launch, attributes, data, *function, stream);
}

Status LaunchCalls::on(pegasus_cluster_occupancy_request const& request, Data const&,
                       device::Function* function, pegasus_cluster_occupancy_reply& reply) {
  device::Launch launch = launch_of(request.launch);
  if (!read(request.attributes, launch.attributes)) return Status::invalid_value;
  auto const question = static_cast<device::ClusterQuestion>(request.question);
  if (request.question > 0xff ||
      (question != device::ClusterQuestion::active && question != device::ClusterQuestion::largest))
    return Status::invalid_value;
  int value = 0;
  Status const status = objects_.context().cluster_occupancy(*function, launch, question, value);
  reply.value = value;
  return status;
}

} // namespace pegasus::avcpu
