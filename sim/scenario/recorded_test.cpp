// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/recorded.h"

#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

constexpr auto domain_a = "[[domain]]\nname = \"a\"\n"; // lines 1 and 2

std::string recorded_error(std::string const& recorded) {
  auto const scenario = parse_scenarios(domain_a + recorded, "s.toml");
  return scenario ? "" : scenario.error();
}

} // namespace

TEST_CASE("a scenario may say what was recorded") {
  auto const scenarios = parse_scenarios(std::string(domain_a) + R"(
[recorded]
policy = "fair slice=2ms"
duration = "10.5s"
[[recorded.domain]]
name = "a"
device_time = "3s"
calls = 12
share = 0.25
mean_wait = "4ms"
)",
                                         "s.toml");
  REQUIRE(scenarios);
  REQUIRE(scenarios->front().recorded);
  Recorded const& recorded = *scenarios->front().recorded;
  CHECK(recorded.policy == "fair slice=2ms");
  CHECK(recorded.duration == 10500ms);
  REQUIRE(recorded.domains.size() == 1);
  CHECK(recorded.domains[0].name == "a");
  CHECK(recorded.domains[0].device == 3s);
  CHECK(recorded.domains[0].calls == 12);
  CHECK(recorded.domains[0].share == 0.25);
  CHECK(recorded.domains[0].mean_wait == 4ms);
}

TEST_CASE("an error in what was recorded has its line") {
  std::string const begin = "[recorded]\npolicy = \"accc\"\nduration = \"1s\"\n"; // lines 3 to 5
  CHECK(recorded_error(begin).empty());
  CHECK(parse_scenarios("recorded = 3\n" + std::string(domain_a), "s.toml").error() ==
        "s.toml:1:12: recorded must be a table: [recorded]");
  CHECK_THAT(recorded_error("[recorded]\npolicy = \"accc\"\n"),
             Catch::StartsWith("s.toml:3:1: [recorded] needs its policy and duration"));
  CHECK_THAT(recorded_error(begin + "seconds = 1\n"),
             Catch::StartsWith("s.toml:6:1: [recorded] has no 'seconds'"));
  CHECK_THAT(recorded_error(begin + "[[recorded.domain]]\nname = \"b\"\n"),
             Catch::StartsWith("s.toml:6:1: the scenario has no domain called 'b'"));
  CHECK_THAT(recorded_error(begin + "[[recorded.domain]]\nname = \"a\"\nshare = 2\n"),
             Catch::StartsWith("s.toml:8:9: share must be a number from 0 to 1"));
  std::string const a = "[[recorded.domain]]\nname = \"a\"\n";
  CHECK_THAT(recorded_error(begin + a + a), Catch::StartsWith("s.toml:8:1: 'a' is recorded twice"));
}
