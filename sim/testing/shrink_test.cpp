// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/shrink.h"

#include "sim/host.h"
#include "sim/scenario/scenario_file.h"
#include "sim/testing/fewer_seeds.h"
#include "sim/testing/scenario_generator.h"
#include "sim/testing/scenario_toml.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;
using namespace std::chrono_literals;

namespace {

Outcome outcome_without_policy(Scenario const& scenario) {
  return Host(scenario, {pegasus::policies::find("none"), {.tick = scenario.tick}}, 1).run();
}

// False by design: any accelerator may be busy for longer.
bool busy_for_5ms(Scenario const& scenario) {
  return std::ranges::any_of(outcome_without_policy(scenario).accelerators,
                             [](AcceleratorOutcome const& each) { return each.busy >= 5ms; });
}

Scenario parsed(Scenario const& scenario) {
  auto const read = parse_scenarios(as_toml(scenario), "shrunk");
  INFO(as_toml(scenario) << (read ? "" : read.error()));
  REQUIRE(read);
  return read->front();
}

} // namespace

TEST_CASE("of a failing scenario one program with one step remains, and a file of it fails as well") {
  constexpr std::uint64_t seeds = fewer_seeds ? 3 : 12;
  std::uint64_t failing = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Scenario const scenario = ScenarioGenerator(seed).scenario();
    if (!busy_for_5ms(scenario)) continue;
    ++failing;
    Scenario const smallest = shrink(scenario, busy_for_5ms);
    INFO(as_toml(smallest));
    CHECK(busy_for_5ms(smallest));
    CHECK(busy_for_5ms(parsed(smallest)));
    CHECK(smallest.accelerators.size() == 1);
    CHECK(smallest.cpus.pcpus == 1);
    CHECK(smallest.duration < 20ms);
    CHECK(smallest.warm_up == 0ms);
    REQUIRE(smallest.domains.size() == 1);
    REQUIRE(smallest.domains[0].programs.size() == 1);
    ProgramSettings const& program = smallest.domains[0].programs[0];
    CHECK(program.start == 0ms);
    REQUIRE(program.phases.size() == 1);
    CHECK(program.phases[0].steps.size() == 1);
  }
  CHECK(failing >= seeds / 2);
}

TEST_CASE("a shrunk scenario keeps what its failure needs") {
  auto const heavy_on_1 = [](Scenario const& scenario) {
    return std::ranges::count_if(scenario.domains, [](DomainScenario const& each) {
             return each.cpu.weight == 1024 && each.accelerator.accelerator == 1;
           }) >= 2;
  };
  Scenario scenario;
  scenario.accelerators.resize(2);
  for (std::uint32_t i = 0; i < 6; ++i) {
    DomainScenario& domain = scenario.domains.emplace_back();
    domain.name = fmt::format("d{}", i);
    domain.cpu = {.weight = i % 3 == 0 ? 64u : 1024u, .cap = 30};
    domain.accelerator.accelerator = 1;
  }
  Scenario const smallest = shrink(scenario, heavy_on_1);
  CHECK(smallest.accelerators.size() == 2);
  REQUIRE(smallest.domains.size() == 2);
  for (DomainScenario const& domain : smallest.domains) {
    CHECK(domain.cpu.weight == 1024);
    CHECK(domain.cpu.cap == 0);
  }
}

TEST_CASE("a scenario that was written as a file does the same") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Scenario const scenario = ScenarioGenerator(seed).scenario();
    Outcome const was = outcome_without_policy(scenario);
    Outcome const is = outcome_without_policy(parsed(scenario));
    CHECK(is.events == was.events);
    REQUIRE(is.domains.size() == was.domains.size());
    for (std::size_t i = 0; i < is.domains.size(); ++i)
      CHECK(is.domains[i].device == was.domains[i].device);
  }
}

TEST_CASE("a scenario's file has the switch cost that policies are told, and when pCPUs tick") {
  Scenario scenario = ScenarioGenerator(1).scenario();
  scenario.cpus.ticks_spread = true;
  scenario.accelerators[0].told_switch_cost = 7us;
  for (ScheduleSettings const& schedule : {ScheduleSettings{.age = 3ms, .period = 2ms},
                                           ScheduleSettings{.source = ScheduleSource::hypercalls}}) {
    scenario.schedule = schedule;
    Scenario const read = parsed(scenario);
    CHECK(read.schedule == schedule);
    CHECK(read.cpus.ticks_spread);
    CHECK(read.accelerators[0].told_switch_cost == 7us);
  }
}
