// SPDX-License-Identifier: Apache-2.0
// What the properties are measured by: how long calls, changes and time slices of a scenario may take, and what a domain
// does of what it does alone.
#pragma once

#include "policies/registry.h"
#include "sim/host.h"

#include <algorithm>
#include <string_view>

namespace pegasus::sim::testing {

using namespace std::chrono_literals;

inline Nanos times(Nanos time, double factor) {
  return Nanos(static_cast<std::int64_t>(static_cast<double>(time.count()) * factor));
}

inline double over(Nanos part, Nanos all) {
  return static_cast<double>(part.count()) / static_cast<double>(all.count());
}

// From a worker's signal until pegasusd acts on it.
inline Nanos kick(Costs const& costs) { return costs.futex + costs.kick_pause; }

// From the end of a domain's last call until the device executes another domain's: a worker polls in vain and kicks, or
// takes a call and finds its gate closed; pegasusd, which does not look again within 50 us, opens the next gate.
inline Nanos handover(Costs const& costs) {
  Nanos const shortest_wait = 50us; // of Dispatcher
  return costs.spin + costs.event + kick(costs) + shortest_wait + costs.futex + costs.serve;
}

inline bool is_call(Step const& step) { return makes_requests(step.kind); }

// With the most that its time may be.
template <class Visit> void each_step(DomainScenario const& domain, Visit visit) {
  for (ProgramSettings const& program : domain.programs)
    for (Phase const& phase : program.phases)
      for (Step const& step : phase.steps)
        visit(step, times(step.span, 1 + program.spread));
}

inline Nanos longest_call(DomainScenario const& domain) {
  Nanos longest{0};
  each_step(domain, [&](Step const& step, Nanos most) {
    if (is_call(step)) longest = std::max(longest, most);
  });
  return longest;
}

// The longest change of an accelerator's context.
inline Nanos longest_change(Scenario const& scenario) {
  std::int64_t programs = 0;
  for (DomainScenario const& domain : scenario.domains)
    programs += static_cast<std::int64_t>(domain.programs.size());
  Nanos longest{0};
  for (Engine::Options const& each : scenario.accelerators)
    longest = std::max(longest, each.switch_cost + programs * each.contention);
  return longest;
}

// Beyond it a domain is barred (back_off.h).
inline Nanos tolerated(Scenario const& scenario) { return scenario.tick / 4; }

// What the policy divides the device by.
inline double weight(policies::Choice const& policy, DomainScenario const& domain) {
  return policy.policy->divides_by(
      {.credits = domain.accelerator.credits, .cpu = {.weight = domain.cpu.weight}});
}

// How far a domain may be ahead or behind, kernels aside, as the policies' headers state it.
inline Nanos longest_slice(Scenario const& scenario, policies::Choice const& policy,
                           DomainScenario const& domain) {
  std::string_view const name = policy.policy->name;
  if (name == "dfq") { // by a free run, before one in which it has all kernels
    auto const domains = static_cast<std::int64_t>(scenario.domains.size());
    return 2 * std::min<Nanos>(times(scenario.tick / 2 * domains, policy.tunables.free_run), 1s);
  }
  if (name == "fair" || name == "eevdf" || name == "lead") {
    int const changes = policy.tunables.hold == policies::automatic_hold ? 20 : 10;
    return std::max(scenario.tick, changes * scenario.accelerators[0].switch_cost);
  }
  double least = weight(policy, domain);
  for (DomainScenario const& each : scenario.domains)
    least = std::min(least, weight(policy, each));
  // X / Xmin ticks, 16 at most; a busy domain carries over one time slice.
  Nanos const slices = 2 * times(scenario.tick, std::min(weight(policy, domain) / least, 16.0));
  return name == "augc" ? slices + 2 * scenario.cpus.slice : slices;
}

// Kernels per second.
inline double rate(Outcome const& outcome, std::size_t domain) {
  double kernels = 0;
  for (ProgramOutcome const& program : outcome.domains[domain].programs)
    kernels += static_cast<double>(program.kernels);
  return kernels / std::chrono::duration<double>(outcome.duration).count();
}

// Over what it does alone.
inline double progress(Scenario const& scenario, Outcome const& outcome, std::size_t domain,
                       std::uint64_t seed) {
  Scenario alone = scenario;
  alone.domains = {scenario.domains[domain]};
  alone.duration = std::max<Nanos>(1s, 100 * longest_call(alone.domains[0]));
  policies::Choice const none{policies::find("none"), {.tick = scenario.tick}};
  return rate(outcome, domain) / rate(Host(alone, none, seed).run(), 0);
}

} // namespace pegasus::sim::testing
