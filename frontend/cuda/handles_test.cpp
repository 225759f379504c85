// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/handles.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <set>
#include <thread>
#include <vector>

using pegasus::driver::HandleTable;
using pegasus::driver::Kind;

TEST_CASE("a handle finds its object, as its kind only") {
  HandleTable table;
  int object = 0;
  void* const handle = table.insert(Kind::stream, &object);
  REQUIRE(handle != nullptr);
  CHECK(table.find(handle, Kind::stream) == &object);
  CHECK(table.find(handle, Kind::event) == nullptr);
  CHECK(table.kind_of(handle) == Kind::stream);
}

TEST_CASE("what was never a handle is recognised without looking at it") {
  HandleTable table;
  // before the first insert
  CHECK(table.find(reinterpret_cast<void*>(std::uintptr_t{0x10}), Kind::stream) == nullptr);
  int object = 0;
  void* const handle = table.insert(Kind::stream, &object);
  auto const value = reinterpret_cast<std::uintptr_t>(handle);
  for (std::uintptr_t wrong : {std::uintptr_t{0}, std::uintptr_t{2}, std::uintptr_t{0xdeadbeef}, value + 1,
                               value + 16, value - 16, ~std::uintptr_t{0}, value + (std::uintptr_t{1} << 40)})
    CHECK(table.find(reinterpret_cast<void*>(wrong), Kind::stream) == nullptr);
  CHECK(table.find(&object, Kind::stream) == nullptr);
}

TEST_CASE("an erased handle is dead, and is given to exactly one caller") {
  HandleTable table;
  int object = 0;
  void* const handle = table.insert(Kind::module, &object);
  CHECK(table.erase(handle, Kind::function) == nullptr);
  CHECK(table.erase(handle, Kind::module) == &object);
  CHECK(table.erase(handle, Kind::module) == nullptr);
  CHECK(table.find(handle, Kind::module) == nullptr);
}

TEST_CASE("a freed cell is not reused soon") {
  HandleTable table;
  int object = 0;
  std::set<void*> seen;
  for (std::size_t i = 0; i < HandleTable::reuse_delay; ++i) {
    void* const handle = table.insert(Kind::event, &object);
    CHECK(seen.insert(handle).second);
    table.erase(handle, Kind::event);
  }
}

TEST_CASE("the table is bounded and usable again when handles go") {
  HandleTable table;
  int object = 0;
  std::vector<void*> all;
  for (std::size_t i = 0; i < HandleTable::capacity; ++i)
    all.push_back(table.insert(Kind::event, &object));
  CHECK(all.back() != nullptr);
  CHECK(table.insert(Kind::event, &object) == nullptr);
  table.erase(all[7], Kind::event);
  CHECK(table.insert(Kind::stream, &object) == all[7]);
}

TEST_CASE("select finds the objects of a kind that satisfy the predicate") {
  HandleTable table;
  int objects[4] = {};
  void* const first = table.insert(Kind::event, &objects[0]);
  (void)table.insert(Kind::stream, &objects[1]);
  (void)table.insert(Kind::event, &objects[2]);
  (void)table.insert(Kind::event, &objects[3]);
  auto const not_last = [&](void* object) { return object != &objects[3]; };
  CHECK(table.select(Kind::event, not_last) == std::vector<void*>{&objects[0], &objects[2]});
  table.erase(first, Kind::event);
  CHECK(table.select(Kind::event, not_last) == std::vector<void*>{&objects[2]});
}

TEST_CASE("threads may insert, find and erase at once") {
  HandleTable table;
  auto const work = [&] {
    int object = 0;
    for (int i = 0; i < 20000; ++i) {
      void* const handle = table.insert(Kind::stream, &object);
      if (table.find(handle, Kind::stream) != &object || table.erase(handle, Kind::stream) != &object)
        std::abort();
    }
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(table.select(Kind::stream, [](void*) { return true; }).empty());
}
