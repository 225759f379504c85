// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/handle_table.h"

#include <catch2/catch.hpp>

using pegasus::avcpu::HandleTable;

TEST_CASE("a handle finds its value until it is erased, and never again") {
  HandleTable<int> table;
  auto const first = table.insert(7);
  REQUIRE(first != 0);
  REQUIRE(table.find(first) != nullptr);
  CHECK(*table.find(first) == 7);
  CHECK(table.erase(first));
  CHECK_FALSE(table.erase(first));
  auto const second = table.insert(8); // reuses the entry
  CHECK(second != first);
  CHECK(table.find(first) == nullptr);
  CHECK(*table.find(second) == 8);
}

TEST_CASE("invented handles find nothing") {
  HandleTable<int> table;
  table.insert(1);
  for (std::uint64_t const handle : {0ull, 1ull, ~0ull, 1ull << 32 | 5, 2ull << 32, 0xffffffffull})
    CHECK(table.find(handle) == nullptr);
}

TEST_CASE("a full table refuses and recovers") {
  HandleTable<char> table;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < HandleTable<char>::capacity; ++i)
    REQUIRE((last = table.insert('x')) != 0);
  CHECK(table.insert('y') == 0);
  CHECK(table.erase(last));
  CHECK(table.insert('y') != 0);
}

TEST_CASE("clear forgets everything") {
  HandleTable<int> table;
  auto const a = table.insert(1), b = table.insert(2);
  table.erase_if([](int value) { return value == 1; });
  CHECK(table.find(a) == nullptr);
  CHECK(table.find(b) != nullptr);
  table.clear();
  CHECK(table.find(b) == nullptr);
}
