// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/mappings.h"

#include "domA/device/memory/mappings_test_fixture.h"

#include <catch2/catch.hpp>
#include <limits>
#include <set>
#include <vector>

using namespace pegasus::memory;
using namespace pegasus::memory::test;

TEST_CASE("sizes and addresses of a reservation are pages, and its alignment a power of two") {
  Task task;
  Address address = 0;
  CHECK(task.mappings.reserve(0, 0, 0, address) == Status::invalid_value);
  CHECK(task.mappings.reserve(4095, 0, 0, address) == Status::invalid_value);
  CHECK(task.mappings.reserve(unit, 0, 1, address) == Status::invalid_value);
  CHECK(task.mappings.reserve(unit, 3 * unit, 0, address) == Status::invalid_value);
  CHECK(task.mappings.reserve(4096, 4096, 0, address) == Status::success);
  Memory const memory = task.create(1);
  CHECK(task.mappings.map({address, unit}, *memory) == Status::invalid_value); // it does not fit in
}

TEST_CASE("the sum of the reserved addresses is bounded") {
  Task task;
  Address address = 0;
  CHECK(task.mappings.reserve(std::numeric_limits<std::uint64_t>::max() - 4095, 0, 0, address) ==
        Status::out_of_memory);
  CHECK(task.mappings.reserve(1009 * unit, 0, 0, address) == Status::out_of_memory);
  CHECK(task.mappings.reserve(1008 * unit - 4096, 0, 0, address) == Status::success);
  CHECK(task.mappings.reserve(4096, 0, 0, address) == Status::out_of_memory);
  CHECK(task.mappings.free(task.at_units(0, 16)) == Status::success);
  CHECK(task.mappings.reserve(16 * unit, 0, 0, address) == Status::success);
}

TEST_CASE("the number of reservations and of allocations is bounded") {
  Task task;
  task.device.most = ~std::uint64_t{0};
  Address address = 0;
  for (std::size_t i = 1; i < Mappings::most_reservations; ++i)
    REQUIRE(task.mappings.reserve(unit, 0, 0, address) == Status::success);
  CHECK(task.mappings.reserve(unit, 0, 0, address) == Status::out_of_memory);
}

TEST_CASE("a reservation is freed as a whole, when nothing is mapped in it") {
  Task task;
  Memory const memory = task.place(15, 1);
  CHECK(task.mappings.free(task.at_units(0, 15)) == Status::invalid_value);
  CHECK(task.mappings.free(task.at_units(1, 15)) == Status::invalid_value);
  CHECK(task.mappings.free(task.at_units(0, 16)) == Status::invalid_value);
  REQUIRE(task.mappings.unmap(task.at_units(15, 1)) == Status::success);
  CHECK(task.mappings.free(task.at_units(0, 16)) == Status::success);
  CHECK(task.device.freed == std::vector{task.base});
  CHECK(task.mappings.map(task.at_units(0, 1), *memory) == Status::invalid_value);
}

TEST_CASE("a device that gives addresses twice is not believed") {
  Task task;
  Address address = 0;
  task.device.lie = GENERATE(Address{0}, first_address, first_address + 15 * unit, first_address - unit,
                             first_address + 100 * unit + 4096, ~std::uint64_t{0} - unit + 1);
  if (task.device.lie == 0) task.device.lie = 4096;
  CHECK(task.mappings.reserve(2 * unit, 0, 0, address) == Status::unknown);
}

TEST_CASE("memory is created in granules, and charged until it is released and unmapped") {
  Task task;
  Memory memory;
  CHECK(task.mappings.create(0, memory) == Status::invalid_value);
  CHECK(task.mappings.create(unit + 4096, memory) == Status::invalid_value);
  CHECK(task.mappings.create(9 * unit, memory) == Status::out_of_memory);
  task.device.fails = "create";
  CHECK(task.mappings.create(unit, memory) == Status::out_of_memory);
  CHECK(task.charged() == 0);
  task.device.fails = "";
  memory = task.place(0, 3);
  CHECK(task.charged() == 3);
  SECTION("released first") {
    memory.reset();
    CHECK(task.charged() == 3);
    CHECK(task.device.alive.size() == 1);
    CHECK(task.mappings.unmap(task.at_units(0, 3)) == Status::success);
    CHECK_FALSE(task.device.kept);
  }
  SECTION("unmapped first") {
    CHECK(task.mappings.unmap(task.at_units(0, 3)) == Status::success);
    CHECK(task.device.kept);
    CHECK(task.charged() == 3);
    memory.reset();
  }
  CHECK(task.charged() == 0);
  CHECK(task.device.alive.empty());
}

TEST_CASE("memory that the device does not take back stays charged") {
  Task task;
  Memory memory = task.create(2);
  task.device.fails = "destroy";
  memory.reset();
  CHECK(task.charged() == 2);
}

TEST_CASE("what cannot be mapped") {
  Task task;
  Memory const memory = task.create(2), other = task.create(1);
  CHECK(task.mappings.map({task.base + 4096, unit}, *memory) == Status::invalid_value);
  CHECK(task.mappings.map({task.base, 4096}, *memory) == Status::invalid_value);
  CHECK(task.mappings.map({task.base, 0}, *memory) == Status::invalid_value);
  CHECK(task.mappings.map(task.at_units(0, 3), *memory) == Status::invalid_value);  // it is smaller
  CHECK(task.mappings.map(task.at_units(15, 2), *memory) == Status::invalid_value); // beyond the reservation
  CHECK(task.mappings.map({~std::uint64_t{0} - unit + 1, unit}, *memory) == Status::invalid_value);
  REQUIRE(task.mappings.map(task.at_units(4, 2), *memory) == Status::success);
  CHECK(task.mappings.map(task.at_units(8, 2), *memory) == Status::not_supported); // a second place
  for (std::uint64_t const at : {4u, 5u})
    CHECK(task.mappings.map(task.at_units(at, 1), *other) == Status::invalid_value);
  CHECK(task.mappings.map(task.at_units(6, 1), *other) == Status::success);
}

TEST_CASE("memory of another task is not mapped") {
  Task task, other;
  Memory const memory = other.create(1);
  CHECK(task.mappings.map(task.at_units(0, 1), *memory) == Status::invalid_handle);
}

TEST_CASE("only whole mappings without a gap are unmapped or made accessible") {
  Task task;
  Memory const a = task.place(0, 2), b = task.place(2, 1), c = task.place(4, 1);
  for (Range const range :
       {task.at_units(0, 1), task.at_units(1, 1), task.at_units(1, 2), task.at_units(0, 5),
        task.at_units(2, 2), task.at_units(3, 1), task.at_units(4, 2), task.at_units(0, 0),
        Range{task.base + 4096, unit}, Range{task.base, ~std::uint64_t{0} - unit + 1}}) {
    CAPTURE(range.base - task.base, range.bytes);
    CHECK(task.mappings.set_access(range, true) == Status::invalid_value);
    CHECK(task.mappings.unmap(range) == Status::invalid_value);
  }
  CHECK(task.mappings.set_access(task.at_units(0, 3), true) == Status::success);
  CHECK(task.joined(0) == 3);
  CHECK(task.mappings.unmap(task.at_units(0, 3)) == Status::success);
  CHECK(task.device.mapped == std::set<Address>{task.base + 4 * unit});
  CHECK(task.joined(0) == 0);
}

TEST_CASE("neighbours are one range, whatever order they come and go in") {
  Task task;
  Memory const a = task.place(0, 1), b = task.place(1, 1), c = task.place(2, 1), d = task.place(3, 1);
  for (std::uint64_t const at : {0u, 2u, 3u, 1u})
    REQUIRE(task.mappings.set_access(task.at_units(at, 1), true) == Status::success);
  CHECK(task.joined(0) == 4);
  REQUIRE(task.mappings.set_access(task.at_units(1, 1), false) == Status::success);
  CHECK(task.joined(0) == 1);
  CHECK(task.joined(1) == 0);
  CHECK(task.joined(2) == 2);
  REQUIRE(task.mappings.unmap(task.at_units(3, 1)) == Status::success);
  CHECK(task.joined(2) == 1);
  REQUIRE(task.mappings.unmap(task.at_units(0, 3)) == Status::success);
  CHECK(task.joined(0) + task.joined(2) == 0);
}

TEST_CASE("a mapping's range is not freed as an allocation, and no allocation takes its place") {
  Task task;
  Memory const a = task.place(0, 1);
  REQUIRE(task.mappings.set_access(task.at_units(0, 1), true) == Status::success);
  CHECK(task.memory.free(task.base) == Status::invalid_value);
  CHECK_FALSE(task.ranges.add(task.at_units(0, 1), Owner::program, 0));
  CHECK_FALSE(task.ranges.add(task.at_units(0, 1), Owner::task, 0));
  Memory const b = task.place(1, 1);
  REQUIRE(task.ranges.add(task.at_units(1, 1), Owner::program, 0)); // a device that gives addresses twice
  CHECK(task.mappings.set_access(task.at_units(1, 1), true) == Status::unknown);
  CHECK(task.joined(0) == 1);
}
