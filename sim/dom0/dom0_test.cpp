// SPDX-License-Identifier: Apache-2.0
// Dom0 beside guests: what its workers take of their pCPUs, and that with pCPUs of its own nothing changes.
#include "sim/dom0/dom0.h"

#include "frontend/protocol/hybrid_spin.h"
#include "policies/registry.h"
#include "sim/host.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

constexpr Dom0Settings two_own_pcpus{.vcpus = 2, .own_pcpus = 2};
// hybrid_spin.h: each miss halves the time, down to the least; each 32nd wait polls for the full one.
constexpr Nanos polls_in_vain = (31 * Nanos{PEGASUS_SPIN_MIN_NS} + Nanos{PEGASUS_SPIN_MAX_NS}) / 32;

double fraction_of(Nanos of, Nanos whole) { return std::chrono::duration<double>(of) / whole; }

DomainScenario pinned_domain(std::string name, unsigned pcpu, std::vector<Step> steps) {
  DomainScenario made;
  made.name = std::move(name);
  made.cpu.pin = {pcpu};
  made.programs = {{.name = "p", .phases = {{.steps = std::move(steps)}}, .wait = Wait::spin}};
  return made;
}

DomainScenario calling_domain(std::string name, unsigned pcpu, Nanos cpu, Nanos kernel) {
  return pinned_domain(std::move(name), pcpu,
                       {{.kind = Step::Kind::cpu, .span = cpu}, {.kind = Step::Kind::call, .span = kernel}});
}

// A guest that calls on pCPU 1, and on pCPU 0 one that only computes, with Dom0.
Scenario shared_host(Nanos cpu, Nanos kernel, bool device_poll) {
  Scenario made;
  made.warm_up = 1s;
  made.duration = 10s;
  made.cpus.pcpus = 2;
  made.cpus.ratelimit = 0ns; // Dom0 wakes up at once
  made.accelerators = {{}};
  made.domains = {pinned_domain("computes", 0, {{.kind = Step::Kind::cpu, .span = 10min}}),
                  calling_domain("calls", 1, cpu, kernel)};
  made.dom0 = {.cpu = {.pin = {0}}, .device_poll = device_poll};
  return made;
}

Outcome host_outcome(Scenario const& scenario, std::string_view policy = "none") {
  return Host(scenario, {pegasus::policies::find(policy), {.tick = scenario.tick}}, 1).run();
}

// Two guests that call, with a pCPU each.
Scenario two_callers(Nanos cpu, Nanos kernel) {
  Scenario made = shared_host(cpu, kernel, true);
  made.duration = 5s;
  made.domains = {calling_domain("a", 0, cpu, kernel), calling_domain("b", 1, cpu, kernel)};
  made.dom0.reset();
  return made;
}

double kernels_of(Outcome const& outcome, std::size_t index) {
  return static_cast<double>(outcome.domains[index].programs[0].kernels);
}

// Dom0's time on its pCPU for each call, once it is sure that what it did not take the other guest had.
double dom0_us_per_call(Outcome const& outcome) {
  CHECK(outcome.domains[0].cpu + *outcome.dom0_cpu == outcome.duration);
  return std::chrono::duration<double, std::micro>(*outcome.dom0_cpu).count() / kernels_of(outcome, 1);
}

} // namespace

// Gaps that are polled through, and gaps that are long beside the polling. Between them, see the next test.
TEST_CASE("with pCPUs of its own Dom0 changes nothing by more than 1 %") {
  for (auto const& [cpu, kernel] : {std::pair<Nanos, Nanos>{20us, 100us}, {500us, 100us}, {20us, 2ms}})
    for (std::string_view const policy : {"none", "fair", "accc", "lead", "strict-co"})
      for (auto const& [name, scheduler] : scheduler_kinds) {
        INFO(fmt::format("{}, {} ns of CPU, {} ns of device, {}", policy, cpu.count(), kernel.count(), name));
        Scenario scenario = two_callers(cpu, kernel);
        scenario.cpus.scheduler = scheduler;
        Outcome const before = host_outcome(scenario, policy);
        scenario.dom0 = two_own_pcpus;
        Outcome const after = host_outcome(scenario, policy);
        for (std::size_t index : {0u, 1u}) {
          CHECK(kernels_of(after, index) == Approx(kernels_of(before, index)).epsilon(0.01));
          CHECK(fraction_of(after.domains[index].device, before.domains[index].device) ==
                Approx(1).epsilon(0.01));
        }
      }
}

// Two calls a cycle, and after each the device is held while the worker polls: for Costs::spin if nothing is
// said of Dom0, else for as long as it has learnt to.
TEST_CASE("workers in Dom0 hold the device for less where the next call comes after they went to sleep") {
  Scenario scenario = two_callers(100us, 2ms);
  scenario.duration = 60s;
  auto const cycle_us = [&] { return 60e6 / kernels_of(host_outcome(scenario, "strict-co"), 0); };
  double const before = cycle_us();
  scenario.dom0 = two_own_pcpus;
  double const polls_us = std::chrono::duration<double, std::micro>(polls_in_vain).count();
  double const spin_us = std::chrono::duration<double, std::micro>(scenario.costs.spin).count();
  CHECK(before - cycle_us() == Approx(2 * (spin_us - polls_us)).epsilon(0.02));
}

// The next call comes within the time for which a worker polls: it sleeps in the kernels only, if at all.
TEST_CASE(
    "a worker that polls from call to call takes the gaps, and the kernels if it polls for their ends") {
  constexpr Nanos gap = 20us, kernel = 100us;
  for (bool const device_poll : {true, false}) {
    INFO(device_poll);
    Scenario const scenario = shared_host(gap, kernel, device_poll);
    Outcome const outcome = host_outcome(scenario);
    Costs const& costs = scenario.costs;
    Nanos const active = gap + costs.post + costs.serve + (device_poll ? kernel : 0ns);
    CHECK(dom0_us_per_call(outcome) ==
          Approx(std::chrono::duration<double, std::micro>(active).count()).epsilon(0.01));
  }
}

TEST_CASE("a worker whose polling is in vain takes little: the least time, and one full one in 32") {
  Scenario const scenario = shared_host(500us, 100us, false);
  Nanos const each = polls_in_vain + scenario.costs.serve;
  CHECK(dom0_us_per_call(host_outcome(scenario)) ==
        Approx(std::chrono::duration<double, std::micro>(each).count()).epsilon(0.02));
}

// The worker polls for the ends of its kernels.
TEST_CASE("Dom0 and a guest that both always want one pCPU have it by their weights") {
  for (std::uint32_t const weight : {256u, 768u}) {
    INFO(weight);
    Scenario scenario = shared_host(1us, 200ms, true);
    scenario.cpus.pcpus = 1;
    scenario.domains[1].cpu.pin = {0};
    scenario.domains[1].programs[0].wait = Wait::block;
    scenario.warm_up = 2s;
    scenario.duration = 60s;
    scenario.dom0->cpu.weight = weight;
    Outcome const outcome = host_outcome(scenario);
    CHECK(fraction_of(*outcome.dom0_cpu, outcome.duration) ==
          Approx(weight / (256.0 + weight)).epsilon(0.05));
  }
}

TEST_CASE("workers that run at a time are spread over Dom0's vCPUs, and share them if there are fewer") {
  for (std::uint32_t const vcpus : {1u, 3u}) {
    INFO(vcpus);
    Scenario scenario = shared_host(1us, 1ms, true);
    scenario.cpus.pcpus = 3;
    scenario.domains = {calling_domain("a", 0, 1us, 1ms), calling_domain("b", 1, 1us, 1ms),
                        calling_domain("c", 2, 1us, 1ms)};
    scenario.accelerators = {{}, {}, {}};
    for (unsigned each = 0; each < 3; ++each)
      scenario.domains[each].accelerator.accelerator = each;
    scenario.dom0 = {.vcpus = vcpus, .own_pcpus = 3};
    Outcome const outcome = host_outcome(scenario);
    CHECK(fraction_of(*outcome.dom0_cpu, outcome.duration) == Approx(vcpus).epsilon(0.01));
    for (std::size_t each : {1u, 2u}) // in turn, where one never sleeps
      CHECK(kernels_of(outcome, each) == Approx(kernels_of(outcome, 0)).epsilon(0.05));
  }
}
