// SPDX-License-Identifier: Apache-2.0
#include "policies/registry.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

using namespace pegasus::policies;

TEST_CASE("every policy has a name of its own, a source and a line of summary") {
  std::set<std::string_view> names;
  for (Entry const& entry : registry()) {
    INFO(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK_FALSE(entry.name.empty());
    CHECK(std::ranges::all_of(entry.name,
                              [](char c) { return std::islower(c) || std::isdigit(c) || c == '-'; }));
    CHECK_FALSE(entry.source.empty());
    CHECK_FALSE(entry.summary.empty());
    CHECK(entry.summary.find('\n') == std::string_view::npos);
    CHECK(find(entry.name) == &entry);
    CHECK(entry.make({}) != nullptr);
  }
  CHECK(names.contains("none"));
  CHECK(names.contains("rr"));
  CHECK(names.contains("accc"));
}

TEST_CASE("an unknown policy is not found") {
  CHECK(find("nosuch") == nullptr);
  CHECK(find("") == nullptr);
}
