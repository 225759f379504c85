// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/setting.h"

#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

constexpr auto two_domains = R"(title = "Two"
duration = "3s"
[[accelerator]]
[[domain]]
name = "a"
[[domain.program]]
steps = ["call 1ms"]
[[domain]]
name = "b"
weight = 512
[[domain.program]]
steps = ["call 1ms"]
)";

Scenario set_to(std::vector<std::string> const& settings) {
  auto const scenarios = parse_scenarios(two_domains, "s.toml", settings);
  INFO((scenarios ? "" : scenarios.error()));
  REQUIRE(scenarios);
  return scenarios->front();
}

std::string error_of_setting(std::string const& setting) {
  auto const scenarios = parse_scenarios(two_domains, "s.toml", {setting});
  return scenarios ? "" : scenarios.error();
}

} // namespace

TEST_CASE("a setting changes a key of the scenario, or adds one") {
  CHECK(set_to({"duration=5s"}).duration == 5s);
  CHECK(set_to({"duration=\"5s\""}).duration == 5s);
  CHECK(set_to({"cpus.scheduler=credit2"}).cpus.scheduler == SchedulerKind::credit2);
  CHECK(set_to({"title=What = if"}).title == "What = if");
  CHECK(set_to({"policies=[\"fair slice=2ms\"]"}).policies == std::vector<std::string>{"fair slice=2ms"});
  CHECK(set_to({"accelerator.0.switch_cost=1ms"}).accelerators[0].switch_cost == 1ms);
  CHECK(set_to({"domain.1.program.0.rounds=7"}).domains[1].programs[0].phases[0].rounds == 7);
  Scenario const scenario = set_to({"domain.1.weight=64", "cpus.count=2", "cpus.count=3"});
  CHECK(scenario.domains[0].cpu.weight == 256);
  CHECK(scenario.domains[1].cpu.weight == 64);
  CHECK(scenario.cpus.pcpus == 3); // the last one counts
  CHECK(scenario.settings == std::vector<std::string>{"domain.1.weight=64", "cpus.count=2", "cpus.count=3"});
}

TEST_CASE("an error in a setting quotes it, an error in a file has line and column") {
  CHECK(error_of_setting("cpus.scheduler=rtds") ==
        "s.toml: --set cpus.scheduler=rtds: scheduler must be \"credit\" or \"credit2\"");
  CHECK_THAT(error_of_setting("cpus.count=two"),
             Catch::StartsWith("s.toml: --set cpus.count=two: count must be a whole number from 1"));
  CHECK_THAT(error_of_setting("cpu.count=2"),
             Catch::StartsWith("s.toml: --set cpu.count=2: a scenario has no 'cpu'; it has "));
  CHECK_THAT(error_of_setting("cpus.number=2"),
             Catch::StartsWith("s.toml: --set cpus.number=2: [cpus] has no 'number'; it has count"));
  CHECK_THAT(error_of_setting("domain.1.name=a"), Catch::Contains("two domains are called 'a'"));
  CHECK_THAT(error_of_setting("duration"), Catch::Contains("--set duration: expected KEY=VALUE"));
  CHECK_THAT(error_of_setting("=5s"), Catch::Contains("expected KEY=VALUE"));
  CHECK_THAT(error_of_setting("domain.2.weight=1"),
             Catch::Contains("--set domain.2.weight=1: '2' must be the "
                             "number of an entry of domain: it has 2"));
  CHECK_THAT(error_of_setting("domain.a.weight=1"), Catch::Contains("'a' must be the number of an entry"));
  CHECK_THAT(error_of_setting("domain.weight=1"), Catch::Contains("'domain' has no keys; entries of a list"));
  CHECK_THAT(error_of_setting("duration.of=1"), Catch::Contains("'duration' has no keys"));
  CHECK_THAT(error_of_setting("title=it's"),
             Catch::Contains("neither valid TOML nor a string without quotes"));
  CHECK_THAT(error_of_setting("cpus=2"), Catch::Contains("--set cpus=2: cpus must be a table"));
  CHECK_THAT(error_of_setting("domain.0.=2"), Catch::Contains("a domain has no ''"));
}

TEST_CASE("an error that a setting causes elsewhere has that place") {
  auto const scenarios = parse_scenarios(std::string(two_domains) + "[cpus]\nslice = \"5ms\"\n", "s.toml",
                                         {"cpus.scheduler=credit2"});
  REQUIRE_FALSE(scenarios);
  CHECK_THAT(scenarios.error(), Catch::StartsWith("s.toml:14:9: credit2 has no slice"));
}
