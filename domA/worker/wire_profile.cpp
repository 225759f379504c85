// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/wire_profile.h"

#include "domA/device/attributes.h"

#include <algorithm>
#include <cstring>

namespace pegasus::worker {

pegasus_device_profile to_wire(device::Profile const& profile) {
  pegasus_device_profile wire{};
  profile.name.copy(wire.name, sizeof wire.name - 1);
  std::ranges::copy(profile.uuid, wire.uuid);
  wire.memory_bytes = profile.memory_bytes;
  wire.driver_version = profile.driver_version;
  wire.attribute_count = PEGASUS_ATTRIBUTES;
  static_assert(std::tuple_size_v<decltype(profile.attribute)> == PEGASUS_ATTRIBUTES);
  std::ranges::copy(profile.attribute, wire.attribute);
  return wire;
}

void share_no_host_memory(pegasus_device_profile& wire) {
  using namespace device::attribute;
  for (std::size_t const number : {can_map_host_memory, managed_memory, concurrent_managed_access})
    wire.attribute[number] = 0;
}

device::Profile from_wire(pegasus_device_profile const& wire) {
  device::Profile profile;
  profile.name.assign(wire.name, strnlen(wire.name, sizeof wire.name));
  std::ranges::copy(wire.uuid, profile.uuid.begin());
  profile.memory_bytes = wire.memory_bytes;
  profile.driver_version = wire.driver_version;
  std::ranges::copy(wire.attribute, profile.attribute.begin());
  return profile;
}

} // namespace pegasus::worker
