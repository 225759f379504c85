// SPDX-License-Identifier: Apache-2.0
#include "policies/registry.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>
#include <string>
#include <variant>
#include <vector>

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

TEST_CASE("a policy that is added stands behind the built-in ones, which stay where they are") {
  std::vector<Entry const*> before;
  for (Entry const& entry : registry())
    before.push_back(&entry);
  Entry const mine{.name = "mine-2", .source = "test", .summary = "as none", .make = find("none")->make};
  auto const added = add(mine);
  REQUIRE(std::holds_alternative<Entry const*>(added));
  CHECK(std::get<Entry const*>(added) == find("mine-2"));
  CHECK(&registry().back() == find("mine-2"));
  REQUIRE(registry().size() == before.size() + 1);
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(&registry()[i] == before[i]);
  Entry const& row = registry().back();
  CHECK_FALSE(row.work_conserving);
  CHECK_FALSE(row.wait_ticks);
  CHECK(std::holds_alternative<Choice>(choose("mine-2", {}, {})));
  CHECK(std::get<InvalidChoice>(choose("nosuch", {}, {})).text.ends_with(", mine-2"));
}

TEST_CASE("an entry that cannot be chosen or made is not added") {
  auto const why = [](Entry const& entry) { return std::get<InvalidEntry>(add(entry)).text; };
  auto const make = find("none")->make;
  for (char const* const name : {"", "a b", "fair:x", "Mine", "./mine"})
    CHECK(why({.name = name, .make = make}).ends_with("a name has lower-case letters, digits and dashes"));
  CHECK(why({.name = "fair", .make = make}).find("there is one of that name") != std::string::npos);
  CHECK(why({.name = "unmade"}) ==
        "the policy \"unmade\" cannot be added: its `make` is not set, so nothing makes it");
}

TEST_CASE("there is room for so many, and an answer to one more") {
  static std::vector<std::string> names; // the table refers to them to the end
  for (std::size_t i = 0; i <= most_added; ++i)
    names.push_back("many-" + std::to_string(i));
  for (std::string const& name : names)
    if (auto const added =
            add({.name = name, .source = "test", .summary = "as none", .make = find("none")->make});
        std::holds_alternative<InvalidEntry>(added)) {
      CHECK(std::get<InvalidEntry>(added).text.ends_with("there is room for no more"));
      return;
    }
  FAIL("all were added");
}

TEST_CASE("a policy is chosen by its name, with what is set of it behind a colon or apart") {
  std::vector<std::string> const apart{"host_weight=0.5"};
  auto const chosen = std::get<Choice>(choose("fair:slice=6ms,hold=auto", apart, {.tick = Nanos{7}}));
  CHECK(chosen.policy == find("fair"));
  CHECK(chosen.tunables.slice == std::chrono::milliseconds(6));
  CHECK(chosen.tunables.hold == automatic_hold);
  CHECK(chosen.tunables.host_weight == 0.5);
  CHECK(chosen.tunables.tick == Nanos{7});
  CHECK(std::get<InvalidChoice>(choose("fair:slices=6ms", {}, {}))
            .text.starts_with("policy fair has no \"slices\""));
  CHECK(std::get<InvalidChoice>(choose("fare:slice=6ms", {}, {}))
            .text.starts_with("there is no policy \"fare\""));
}
