// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/symbol_table.h"

#include "frontend/cudart/registry.h"

#include <catch2/catch.hpp>

#include <memory>
#include <vector>

using namespace pegasus::cudart;

namespace {

void const* address(std::size_t index) { return reinterpret_cast<void const*>(0x400000 + index * 16); }

} // namespace

TEST_CASE("finds each of many symbols while growing") {
  static SymbolTable table; // lives as long as the process, like the real one
  std::vector<Symbol> symbols(5000);
  CHECK(table.find(address(0)) == nullptr);
  for (std::size_t i = 0; i < symbols.size(); ++i)
    REQUIRE(table.insert(address(i), &symbols[i]));
  for (std::size_t i = 0; i < symbols.size(); ++i)
    CHECK(table.find(address(i)) == &symbols[i]);
  CHECK(table.find(address(symbols.size())) == nullptr);
  CHECK(table.find(nullptr) == nullptr);
}

TEST_CASE("an erased symbol is gone, and its place can be taken again") {
  static SymbolTable table; // lives as long as the process, like the real one
  Symbol first{};
  Symbol second{};
  REQUIRE(table.insert(address(1), &first));
  table.erase(address(1), &first);
  CHECK(table.find(address(1)) == nullptr);
  REQUIRE(table.insert(address(1), &second));
  CHECK(table.find(address(1)) == &second);
}

TEST_CASE("of several symbols at one address the first answers, then the next") {
  static SymbolTable table; // lives as long as the process, like the real one
  Symbol first{};
  Symbol second{};
  Symbol third{};
  for (Symbol* const symbol : {&first, &second, &third})
    REQUIRE(table.insert(address(7), symbol));
  CHECK(table.find(address(7)) == &first);
  table.erase(address(7), &second);
  CHECK(table.find(address(7)) == &first);
  table.erase(address(7), &first);
  CHECK(table.find(address(7)) == &third);
  table.erase(address(7), &third);
  CHECK(table.find(address(7)) == nullptr);
}

TEST_CASE("the handle of one of several symbols at an address is gone with it") {
  static SymbolTable table; // lives as long as the process, like the real one
  Symbol first{};
  Symbol second{};
  REQUIRE(table.insert(address(9), &first));
  REQUIRE(table.insert(address(9), &second));
  REQUIRE(table.insert(&first, &first));
  table.erase(address(9), &first);
  table.erase(&first, &first);
  CHECK(table.find(&first) == nullptr);
  CHECK(table.find(address(9)) == &second);
}
