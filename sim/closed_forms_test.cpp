// SPDX-License-Identifier: Apache-2.0
// Hosts whose throughput, waits and shares follow from formulas of queueing theory: exactly, where all
// times are fixed. Throughput is in kernels a second, c a program's CPU time between its calls, g a
// kernel's device time.
#include "policies/registry.h"
#include "sim/host.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

constexpr Costs free_of_costs{.post = 0ns,
                              .serve = 0ns,
                              .drain = 0ns,
                              .event = 0ns,
                              .futex = 0ns,
                              .wakeup = 0ns,
                              .spin = 0ns,
                              .kick_pause = 0ns,
                              .killing = 0ns};
constexpr int cycles = 1000;

ProgramSettings program(std::vector<Step> steps, Wait wait = Wait::spin, double spread = 0) {
  return {.name = "p", .phases = {{.steps = std::move(steps)}}, .spread = spread, .wait = wait};
}

std::vector<Step> compute_and_call(Nanos c, Nanos g) {
  return {{.kind = Step::Kind::cpu, .span = c}, {.kind = Step::Kind::call, .span = g}};
}

std::vector<Step> copy_and_call(Nanos copy, Nanos g) {
  return {{.kind = Step::Kind::from_device, .span = copy}, {.kind = Step::Kind::call, .span = g}};
}

std::vector<Step> only_calls(Nanos g) { return {{.kind = Step::Kind::call, .span = g}}; }

// `count` domains with a pCPU and one such program each; `duration` should be a whole number of cycles.
Scenario equal_domains(unsigned count, ProgramSettings const& settings, Nanos duration) {
  Scenario made;
  made.warm_up = 1s;
  made.duration = duration;
  made.costs = free_of_costs;
  made.cpus.pcpus = count;
  made.accelerators = {{}};
  for (unsigned pcpu = 0; pcpu < count; ++pcpu) {
    DomainScenario& domain = made.domains.emplace_back();
    domain.name = fmt::format("d{}", pcpu + 1);
    domain.cpu.pin = {pcpu};
    domain.programs = {settings};
  }
  return made;
}

Outcome outcome_of(Scenario const& scenario, std::string_view policy = "none") {
  return Host(scenario, {pegasus::policies::find(policy), {.tick = scenario.tick}}, 1).run();
}

std::uint64_t kernels(Outcome const& outcome) {
  std::uint64_t all = 0;
  for (DomainOutcome const& domain : outcome.domains)
    for (ProgramOutcome const& each : domain.programs)
      all += each.kernels;
  return all;
}

} // namespace

// Machine repair model of N programs and one device with fixed times: min(N / (c + g), 1 / g).
TEST_CASE("programs with a pCPU each call at the rate of all of them, or of the device") {
  for (unsigned const n : {1u, 2u, 3u, 8u})
    for (auto const& [c, g] : {std::pair<Nanos, Nanos>{500us, 100us}, {100us, 500us}, {300us, 300us}}) {
      INFO(fmt::format("{} programs, c {} ns, g {} ns", n, c.count(), g.count()));
      Nanos const cycle = std::max(c + g, g * n);
      Outcome const outcome = outcome_of(equal_domains(n, program(compute_and_call(c, g)), cycle * cycles));
      for (DomainOutcome const& domain : outcome.domains) {
        CHECK(domain.programs[0].kernels == cycles);
        CHECK(domain.device == g * cycles);
      }
    }
}

// A cyclic queue of two servers and two customers with fixed times: 1 / max(c, g).
TEST_CASE("two programs that share a pCPU and a device call at the rate of the slower of the two") {
  for (auto const& [c, g] : {std::pair<Nanos, Nanos>{500us, 100us}, {100us, 500us}}) {
    INFO(fmt::format("c {} ns, g {} ns", c.count(), g.count()));
    ProgramSettings const sleeps = program(compute_and_call(c, g), Wait::block);
    Scenario scenario = equal_domains(1, sleeps, std::max(c, g) * 2 * cycles);
    scenario.domains[0].programs.push_back(sleeps);
    CHECK(kernels(outcome_of(scenario)) == 2 * cycles);
  }
}

// A closed system: each of N programs waits for the N - 1 others and for itself.
TEST_CASE("a call among n programs that only call takes n times its kernel") {
  for (unsigned const n : {1u, 2u, 5u, 16u}) {
    INFO(n);
    Scenario scenario = equal_domains(n, program(only_calls(200us)), 200us * n * cycles);
    Outcome const outcome = outcome_of(scenario);
    for (DomainOutcome const& domain : outcome.domains) {
      CHECK(domain.device * n == scenario.duration);
      CHECK(domain.wait_mean_us == Approx(200.0 * n).epsilon(0.001)); // the first ones wait for less
    }
  }
}

// The interactive response-time law, R = N / X - c, holds for any distribution of the times.
TEST_CASE("waits, throughput and CPU time obey the response-time law") {
  for (unsigned const n : {2u, 6u}) {
    INFO(n);
    Scenario scenario = equal_domains(n, program(compute_and_call(1ms, 500us), Wait::spin, 0.5), 20s);
    scenario.warm_up = 0s; // the waits count from the beginning
    Outcome const outcome = outcome_of(scenario);
    double waits = 0;
    for (DomainOutcome const& domain : outcome.domains)
      waits += domain.wait_mean_us * static_cast<double>(domain.programs[0].kernels);
    double const calls = static_cast<double>(kernels(outcome));
    CHECK(waits / calls == Approx(n * 20e6 / calls - 1000).epsilon(0.01));
    // The utilization law, U = X * g.
    CHECK(static_cast<double>(outcome.accelerators[0].busy.count()) == Approx(calls * 500e3).epsilon(0.01));
  }
}

// Contexts alternate: 1 / (g + s), and each further context that waits makes a change dearer.
TEST_CASE("where contexts alternate each kernel also takes a change of context") {
  constexpr Nanos g = 300us, change = 50us, contention = 10us;
  for (unsigned const n : {2u, 3u, 6u}) {
    INFO(n);
    Nanos const each = g + change + contention * (n - 2);
    Scenario scenario = equal_domains(n, program(only_calls(g)), each * n * cycles);
    scenario.accelerators = {{.switch_cost = change, .contention = contention}};
    Outcome const outcome = outcome_of(scenario);
    CHECK(kernels(outcome) == n * cycles);
    CHECK(outcome.accelerators[0].switches == n * cycles);
    CHECK(outcome.accelerators[0].busy == g * n * cycles);
  }
}

// Round robin with a slice q: q / (q + s) of the time is work.
TEST_CASE("a device that preempts works for its slice out of slice and change") {
  constexpr Nanos slice = 500us, change = 125us;
  Scenario scenario = equal_domains(2, program(only_calls(slice * 4)), (slice + change) * 8 * cycles);
  scenario.accelerators = {{.switch_cost = change, .preempt = slice}};
  Outcome const outcome = outcome_of(scenario);
  CHECK(outcome.accelerators[0].busy * 5 == scenario.duration * 4);
  CHECK(outcome.accelerators[0].busy + outcome.accelerators[0].switching == scenario.duration);
  CHECK(outcome.domains[0].device == outcome.domains[1].device);
}

// A pipeline of two stages, the guest that posts and the worker with the device: 1 / max(post, serve + g).
TEST_CASE("launches without a wait go at the rate of the guest, or of worker and device") {
  for (Nanos const g : {1us, 40us}) {
    INFO(g.count());
    Scenario scenario = equal_domains(1, program({{.kind = Step::Kind::launch, .span = g, .count = 16}}), 1s);
    scenario.costs.post = 10us;
    scenario.costs.serve = 2us;
    Nanos const each = std::max<Nanos>(10us, g + 2us);
    scenario.duration = each * 16 * cycles;
    scenario.costs.spin = 1ms; // the worker does not sleep
    CHECK(kernels(outcome_of(scenario)) == 16 * cycles);
  }
}

// A cyclic queue of copy engine and device with two customers and fixed times: 1 / max(m, g), m a copy's
// time. Without a copy engine there is one server, and one program alone never uses both: 1 / (m + g).
TEST_CASE("two programs that copy and call by turns overlap where there is a copy engine, one does not") {
  for (auto const& [m, g] : {std::pair<Nanos, Nanos>{300us, 300us}, {100us, 500us}, {500us, 100us}})
    for (unsigned const engines : {0u, 1u, 2u})
      for (unsigned const n : {1u, 2u}) {
        INFO(fmt::format("{} programs, {} copy engines, copy {} ns, g {} ns", n, engines, m.count(),
                         g.count()));
        Nanos const cycle = n == 1 ? m + g : engines == 0 ? 2 * (m + g) : 2 * std::max(m, g);
        Scenario scenario = equal_domains(n, program(copy_and_call(m, g)), cycle * cycles);
        scenario.accelerators = {{.copy_engines = engines}};
        Outcome const outcome = outcome_of(scenario);
        Nanos const copies = m * n * cycles, calls = g * n * cycles;
        CHECK(outcome.accelerators[0].busy == (engines == 0 ? calls + copies : calls));
        CHECK(outcome.accelerators[0].copying == (engines == 0 ? 0ns : copies));
      }
}

// Three servers, or two where one engine copies both ways, and as many customers: 1 / max(m, g), or 1 /
// max(2 m, g).
TEST_CASE("with two copy engines copies to the device and from it overlap") {
  constexpr Nanos m = 200us, g = 200us;
  for (unsigned const engines : {0u, 1u, 2u}) {
    INFO(engines);
    Nanos const each = engines == 0 ? 2 * m + g : engines == 1 ? 2 * m : m;
    std::vector<Step> const steps{{.kind = Step::Kind::to_device, .span = m},
                                  {.kind = Step::Kind::call, .span = g},
                                  {.kind = Step::Kind::from_device, .span = m}};
    Scenario scenario = equal_domains(3, program(steps), each * 3 * cycles);
    scenario.accelerators = {{.copy_engines = engines}};
    CHECK(kernels(outcome_of(scenario)) == 3 * 3 * cycles);
  }
}

// Another domain's gate is closed until the copy has ended: 1 / (m + g).
TEST_CASE("a policy that gives the device to one domain at a time has nothing of copy engines") {
  constexpr Nanos m = 300us, g = 300us;
  Scenario scenario = equal_domains(2, program(copy_and_call(m, g)), 10s);
  scenario.accelerators = {{.copy_engines = 1}};
  for (auto const& [policy, part] : {std::pair<std::string_view, double>{"fair", 0.5}, {"lead", 1}}) {
    INFO(policy);
    Outcome const outcome = outcome_of(scenario, policy);
    CHECK(std::chrono::duration<double>(outcome.accelerators[0].busy) / scenario.duration ==
          Approx(part).epsilon(0.02));
  }
}

// costs.h: a cycle is c + post + serve + g, and a signal more if the worker went to sleep meanwhile.
TEST_CASE("a call costs what costs.h says") {
  for (auto const& [c, signals] : {std::pair<Nanos, int>{20us, 0}, {80us, 1}}) {
    INFO(c.count());
    Scenario scenario = equal_domains(1, program(compute_and_call(c, 100us)), 1s);
    scenario.costs = Costs{};
    Costs const& costs = scenario.costs;
    scenario.duration = (c + costs.post + costs.serve + 100us + costs.event * signals) * cycles;
    CHECK(kernels(outcome_of(scenario)) == cycles);
  }
}

// The slices of n domains with always enough work are equal: each has 1 / n, to a slice.
TEST_CASE("n equal greedy domains have a share of 1 / n each under each policy that keeps accounts") {
  for (pegasus::policies::Entry const& entry : pegasus::policies::registry()) {
    if (!entry.accounts || !entry.exclusive || !entry.work_conserving) continue;
    for (unsigned const n : {2u, 5u, 16u}) {
      INFO(fmt::format("{}, {} domains", entry.name, n));
      Scenario scenario =
          equal_domains(n, program({{.kind = Step::Kind::launch, .span = 500us, .count = 64}}), 8s);
      scenario.tick = 2ms;
      Outcome const outcome = outcome_of(scenario, entry.name);
      for (DomainOutcome const& domain : outcome.domains)
        CHECK(std::chrono::duration<double>(domain.device) / outcome.accelerators[0].busy ==
              Approx(1.0 / n).epsilon(0.05));
    }
  }
}
