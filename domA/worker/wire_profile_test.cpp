// SPDX-License-Identifier: Apache-2.0
#include "domA/worker/wire_profile.h"

#include <catch2/catch.hpp>

using namespace pegasus;

namespace {

device::Profile some_profile() {
  device::Profile profile;
  profile.name = "some accelerator";
  profile.uuid = {1, 2, 3};
  profile.memory_bytes = std::uint64_t{3} << 30;
  profile.driver_version = 13000;
  profile.attribute[75] = 7;
  profile.attribute.back() = -1;
  return profile;
}

} // namespace

TEST_CASE("a profile survives the wire") {
  device::Profile const before = some_profile();
  device::Profile const after = worker::from_wire(worker::to_wire(before));
  CHECK(after.name == before.name);
  CHECK(after.uuid == before.uuid);
  CHECK(after.memory_bytes == before.memory_bytes);
  CHECK(after.driver_version == before.driver_version);
  CHECK(after.attribute == before.attribute);
}

TEST_CASE("a name that is too long is cut, and one without its end is read to the field's end") {
  device::Profile profile = some_profile();
  profile.name = std::string(1000, 'x');
  pegasus_device_profile wire = worker::to_wire(profile);
  CHECK(worker::from_wire(wire).name == std::string(sizeof wire.name - 1, 'x'));
  wire.name[sizeof wire.name - 1] = 'y';
  CHECK(worker::from_wire(wire).name.size() == sizeof wire.name);
}
