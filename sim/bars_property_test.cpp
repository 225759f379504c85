// SPDX-License-Identifier: Apache-2.0
// Bars (domA/scheduler/back_off.h) in random scenarios: who is barred, and what that leaves to the others.
#include "sim/testing/bounds.h"
#include "sim/testing/fewer_seeds.h"
#include "sim/testing/property.h"
#include "sim/testing/scenario_generator.h"

#include <algorithm>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;
using namespace std::chrono_literals;
using pegasus::policies::Choice;
using pegasus::policies::Entry;

namespace {

constexpr int scenarios_for_bars = fewer_seeds ? 4 : 40;

// A domain whose calls end, and are noticed, within what is tolerated has kept nobody waiting for longer, whatever
// its calls waited for: that is taken off an overrun, with the changes of context, but not by how much these take longer
// than pegasusd was told.
std::string barred_for_others(Scenario const& scenario, Choice const& policy, std::uint64_t seed) {
  Nanos const told = scenario.accelerators[0].switch_cost;
  Nanos const changes =
      static_cast<std::int64_t>(scenario.domains.size()) * (longest_change(scenario) - told);
  Outcome const outcome = Host(scenario, policy, seed).run();
  for (std::size_t i = 0; i < scenario.domains.size(); ++i) {
    Nanos const call = longest_call(scenario.domains[i]);
    if (outcome.domains[i].barred && call + changes + handover(scenario.costs) <= tolerated(scenario))
      return fmt::format("{} was barred, and its calls take {} ns", scenario.domains[i].name, call.count());
  }
  return "";
}

} // namespace

TEST_CASE("a domain is barred for its own calls only, not for those behind which they wait") {
  std::uint64_t seed = 7001;
  for (int n = 0; n < scenarios_for_bars; ++n)
    for (Entry const& entry : pegasus::policies::registry()) {
      ScenarioGenerator generator(seed);
      Scenario scenario = generator.greedy_domains(3);
      scenario.duration = 2s;
      check_property(scenario, {&entry, {.tick = scenario.tick}}, seed++, barred_for_others);
    }
}

namespace {

// Of the device time that the first domain's kernels take beyond its time slices the second one can have its part,
// by bars, and then works as if it were alone, but for a change of hands with each call. Says nothing unless the
// second one comes back before its bar on the other would end.
std::string kept_out(Scenario const& scenario, Choice const& policy, std::uint64_t seed) {
  if (scenario.domains.size() != 2 || scenario.cpus.pcpus < 2) return "";
  DomainScenario const& lengthy = scenario.domains[0];
  DomainScenario const& caller = scenario.domains[1];
  if (lengthy.programs.size() != 1 || caller.programs.size() != 1) return "";
  Nanos calls{0}, gap{0};
  each_step(caller, [&](Step const& step, Nanos most) { (is_call(step) ? calls : gap) += most; });
  if (calls == 0ms) return "";
  Nanos const overrun = longest_call(lengthy) - longest_slice(scenario, policy, lengthy);
  if (overrun <= tolerated(scenario) || overrun < gap + handover(scenario.costs)) return "";
  // It counts domains that need less than half of the device as active only while they have calls.
  if (policy.policy->name == "dfq" && gap > std::min(calls, scenario.tick / 2)) return "";
  Nanos const bar = times(overrun, weight(policy, caller) / weight(policy, lengthy));
  Nanos const cycle = longest_call(lengthy) + bar;
  double const least = over(bar, cycle) * over(calls + gap, calls + gap + handover(scenario.costs)) -
                       over(cycle, scenario.duration);
  if (least <= 0) return "";
  double const found = progress(scenario, Host(scenario, policy, seed).run(), 1, seed);
  if (found >= least) return "";
  return fmt::format("{} does {:.4f} of what it does alone, less than {:.4f}", caller.name, found, least);
}

} // namespace

TEST_CASE("kernels that cannot be stopped leave its part to a program that computes between its calls") {
  std::uint64_t seed = 6001;
  for (int n = 0; n < scenarios_for_bars; ++n)
    for (Entry const& entry : pegasus::policies::registry()) {
      if (!entry.accounts || entry.name == "cosched") continue; // which does not begin a round for a call
      ScenarioGenerator generator(seed);
      Scenario scenario = generator.calls_beside_long_kernels();
      Choice const policy{&entry, {.tick = scenario.tick}};
      double const parts = weight(policy, scenario.domains[1]) / weight(policy, scenario.domains[0]);
      scenario.duration = times(10 * longest_call(scenario.domains[0]), 1 + parts); // ten bars
      check_property(scenario, policy, seed++, kept_out);
    }
}
