// SPDX-License-Identifier: Apache-2.0
// What must be true of any scenario: random hosts, guests and programs under each policy and each of Xen's
// schedulers. What policies promise is in promises_property_test.cpp.
#include "sim/testing/fewer_seeds.h"
#include "sim/testing/property.h"
#include "sim/testing/scenario_generator.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;
using namespace std::chrono_literals;

namespace {

// What is wrong with the outcome; empty: nothing.
using Property = std::string (*)(Scenario const&, Outcome const&);

// The scenario of that seed under both of Xen's schedulers.
void for_both(Scenario scenario, pegasus::policies::Choice const& policy, std::uint64_t seed,
              Property complaint) {
  for (auto const& [name, scheduler] : scheduler_kinds) {
    scenario.cpus.scheduler = scheduler;
    check_property(scenario, policy, seed, [complaint](Scenario const& of, auto const& choice, auto with) {
      return complaint(of, Host(of, choice, with).run());
    });
  }
}

std::string lost_time(Scenario const& scenario, Outcome const& outcome) {
  std::vector<Nanos> executed(scenario.accelerators.size());
  Nanos cpu{0};
  for (DomainOutcome const& domain : outcome.domains) {
    executed[domain.accelerator] += domain.device;
    cpu += domain.cpu;
    if (domain.device < Nanos{0})
      return fmt::format("{} had {} ns of the device", domain.name, domain.device.count());
  }
  Nanos const dom0 = outcome.dom0_cpu.value_or(Nanos{0});
  unsigned const own_pcpus = all_pcpus(scenario) - scenario.cpus.pcpus;
  if (own_pcpus > 0 && dom0 > outcome.duration * own_pcpus)
    return fmt::format("Dom0 had {} ns of its pCPUs, in {} ns", dom0.count(), outcome.duration.count());
  if (own_pcpus == 0) cpu += dom0;
  if (cpu > outcome.duration * scenario.cpus.pcpus)
    return fmt::format("the domains had {} ns of the pCPUs, in {} ns", cpu.count(), outcome.duration.count());
  for (std::size_t i = 0; i < executed.size(); ++i) {
    Nanos const busy = outcome.accelerators[i].busy;
    Nanos const copying = outcome.accelerators[i].copying;
    if (copying > outcome.duration * scenario.accelerators[i].copy_engines)
      return fmt::format("the copy engines of accelerator {} copied for {} ns, in {} ns", i, copying.count(),
                         outcome.duration.count());
    if (executed[i] != busy || busy > outcome.duration)
      return fmt::format("accelerator {} was busy for {} ns, the domains had {} ns of it, in {} ns", i,
                         busy.count(), executed[i].count(), outcome.duration.count());
    Nanos const switching = outcome.accelerators[i].switching;
    if (switching < Nanos{0} || busy + switching > outcome.duration)
      return fmt::format("accelerator {} was busy for {} ns and changed contexts for {} ns, in {} ns", i,
                         busy.count(), switching.count(), outcome.duration.count());
  }
  return "";
}

std::string no_progress(Scenario const& /*scenario*/, Outcome const& outcome) {
  for (DomainOutcome const& domain : outcome.domains)
    for (ProgramOutcome const& program : domain.programs)
      if (program.kernels == 0) return fmt::format("a program of {} finished no kernel", domain.name);
  return "";
}

} // namespace

TEST_CASE("no time is lost or made up, whatever runs") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    ScenarioGenerator generator(seed);
    Scenario const scenario = generator.scenario();
    auto const policy = generator.policy(scenario);
    for_both(scenario, policy, seed, lost_time);
  }
}

TEST_CASE("no time is lost or made up where Dom0 has pCPUs of its own or shares the guests'") {
  for (std::uint64_t seed = 2001; seed <= 2100; ++seed) {
    ScenarioGenerator generator(seed);
    Scenario scenario = generator.scenario();
    auto const policy = generator.policy(scenario);
    scenario.dom0 = generator.dom0(scenario);
    for_both(scenario, policy, seed, lost_time);
  }
}

TEST_CASE("each program goes on: none waits for ever, with Dom0 beside it or without") {
  constexpr std::uint64_t last = fewer_seeds ? 1008 : 1040;
  for (std::uint64_t seed = 1001; seed <= last; ++seed) {
    ScenarioGenerator generator(seed);
    Scenario scenario = generator.scenario();
    scenario.runaway = 10s;
    for (DomainScenario& domain : scenario.domains)
      domain.accelerator.credits = 256; // equal ones: each runs within the time below
    scenario.warm_up = 0ms;
    scenario.duration = 10s;
    auto const policy = generator.policy(scenario);
    for_both(scenario, policy, seed, no_progress);
    if (seed % 4 != 0) continue; // a poller of Dom0 makes many events
    scenario.dom0 = generator.dom0(scenario);
    for_both(scenario, policy, seed, no_progress);
  }
}
