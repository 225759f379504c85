// SPDX-License-Identifier: Apache-2.0
// What the device is asked for, and a device that fails.
#include "domA/device/memory/mappings.h"

#include "domA/device/memory/mappings_test_fixture.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace pegasus::memory;
using namespace pegasus::memory::test;

TEST_CASE("memory is zeroed once, where it is accessible first") {
  Task task;
  Memory const memory = task.create(3);
  auto const give = [&](std::uint64_t at, std::uint64_t units) {
    task.device.zeroed.clear();
    REQUIRE(task.mappings.map(task.at_units(at, units), *memory) == Status::success);
    REQUIRE(task.mappings.set_access(task.at_units(at, units), true) == Status::success);
    REQUIRE(task.mappings.unmap(task.at_units(at, units)) == Status::success);
    return task.device.zeroed.empty() ? Range{} : task.device.zeroed[0];
  };
  Range range = give(0, 1);
  CHECK((range.base == task.base && range.bytes == unit));
  CHECK(give(0, 1).bytes == 0);
  range = give(4, 3);
  CHECK((range.base == task.base + 5 * unit && range.bytes == 2 * unit));
  CHECK(give(8, 3).bytes == 0);
}

TEST_CASE("a device that fails") {
  Task task;
  Memory const memory = task.create(1);
  Range const at = task.at_units(0, 1);
  task.device.fails = "map";
  CHECK(task.mappings.map(at, *memory) == Status::out_of_memory);
  task.device.fails = "";
  REQUIRE(task.mappings.map(at, *memory) == Status::success);
  for (char const* const what : {"give", "zero", "zero and take"}) {
    task.device.fails = what;
    CHECK(task.mappings.set_access(at, true) == Status::unknown);
    CHECK(task.joined(0) == 0);
  }
  CHECK(task.device.lost); // what is there could be neither zeroed nor taken away
  task.device.fails = "";
  REQUIRE(task.mappings.set_access(at, true) == Status::success);
  task.device.fails = "access";
  CHECK(task.mappings.set_access(at, false) == Status::unknown);
  CHECK(task.mappings.unmap(at) == Status::unknown); // access cannot be taken
  CHECK(task.joined(0) == 1);
  task.device.fails = "unmap";
  CHECK(task.mappings.unmap(at) == Status::unknown);
  CHECK(task.joined(0) == 0);
  CHECK(task.charged() == 1);
  task.device.fails = "";
  CHECK(task.mappings.unmap(at) == Status::success);
}

TEST_CASE("at the end all goes back to the device") {
  Task task;
  Memory kept = task.create(1);
  {
    Memory const mapped = task.place(2, 2);
    REQUIRE(task.mappings.set_access(task.at_units(2, 2), true) == Status::success);
  }
  kept.reset();
  task.mappings.close();
  CHECK(task.device.alive.empty());
  CHECK(task.device.mapped.empty());
  CHECK(task.device.freed == std::vector{task.base});
  CHECK(task.charged() == 0);
  CHECK(task.joined(2) == 0);
}

TEST_CASE("a device without such memory") {
  Task task;
  task.device.most = 0;
  Address address = 0;
  Memory memory;
  CHECK(task.mappings.reserve(unit, 0, 0, address) == Status::not_supported);
  CHECK(task.mappings.create(unit, memory) == Status::not_supported);
}
