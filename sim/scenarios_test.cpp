// SPDX-License-Identifier: Apache-2.0
// The built-in scenarios: each can be run, and what docs/design says of them is so.
#include "policies/registry.h"
#include "sim/testing/builtin_runs.h"

using namespace pegasus::sim;
using namespace pegasus::sim::testing;

TEST_CASE("each built-in scenario is read, and its policies exist") {
  for (BuiltinScenario const& builtin : builtin_scenarios()) {
    auto const scenarios = parse_scenarios(builtin.text, builtin.name);
    INFO(builtin.name << (scenarios ? "" : ": " + scenarios.error()));
    REQUIRE(scenarios);
    for (Scenario const& scenario : *scenarios) {
      CHECK_FALSE(scenario.title.empty());
      for (std::string const& policy : scenario.policies)
        CHECK(pegasus::policies::find(policy.substr(0, policy.find(' '))) != nullptr);
    }
  }
}

TEST_CASE("a policy that holds time slices does more work where the device takes 1 ms to change contexts") {
  double const without = results_of("switch-cost", "", {"none"}).front().overhead;
  std::size_t holding = 0;
  for (pegasus::policies::Entry const& entry : pegasus::policies::registry()) {
    if (std::ranges::none_of(entry.tunables, [](auto const& each) { return each.name == "hold"; })) continue;
    ++holding;
    INFO(entry.name);
    auto const runs = results_of("switch-cost", "", {std::string(entry.name) + " hold=2ms"});
    CHECK(runs.front().overhead < without / 1.5);
  }
  CHECK(holding == 8);
}

TEST_CASE(
    "policies that read the hypervisor's schedule do more work where guests poll beside their kernels") {
  auto const runs = results_of("coordination", "", {"xc", "augc", "cosched"});
  CHECK(runs[1].overhead < runs[0].overhead - 0.01);
  CHECK(runs[2].overhead < runs[0].overhead - 0.03);
}

TEST_CASE("a worker that polls on a guest's pCPU costs that guest half of it, on its own it costs nothing") {
  Scenario scenario = builtin_variant("dom0-pollers", "");
  auto const computes = [&] {
    Outcome const outcome = results_of(scenario, {"none"}).front().outcome;
    return std::chrono::duration<double>(outcome.domains[0].cpu) / outcome.duration;
  };
  CHECK(computes() == Approx(0.5).margin(0.01));
  scenario.dom0->device_poll = false;
  CHECK(computes() == Approx(0.908).margin(0.005));
  scenario.dom0 = Dom0Settings{.own_pcpus = 1};
  CHECK(computes() == Approx(1).margin(0.001));
}

TEST_CASE("copy engines double the work of guests that copy and call by turns, where both have the device") {
  auto const runs = results_of("copy-engines", "", {"none", "fair", "lead"});
  CHECK(runs[0].overhead == Approx(0.5).margin(0.01));
  CHECK(runs[1].overhead == Approx(1).margin(0.01));
  CHECK(runs[2].overhead == Approx(0.5).margin(0.01));
}
