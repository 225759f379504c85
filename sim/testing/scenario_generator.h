// SPDX-License-Identifier: Apache-2.0
// Random hosts, guests, programs and policies; the same seed gives the same ones on any machine.
#pragma once

#include "policies/registry.h"
#include "sim/random.h"
#include "sim/scenario/scenario.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace pegasus::sim::testing {

class ScenarioGenerator {
public:
  explicit ScenarioGenerator(std::uint64_t seed) : random_(seed) {}

  Scenario scenario() {
    using namespace std::chrono_literals;
    Scenario scenario;
    scenario.duration = 300ms;
    scenario.warm_up = 50ms;
    scenario.runaway = chance(0.3) ? 40ms : 10s;
    scenario.tick = one_of<Nanos>({500us, 5ms, 10ms});
    scenario.cpus = {.pcpus = whole(1, 3),
                     .slice = one_of<Nanos>({1ms, 5ms, 30ms}),
                     .ratelimit = one_of<Nanos>({0ms, 1ms})};
    for (unsigned n = whole(1, 2); n > 0; --n)
      scenario.accelerators.push_back({.switch_cost = one_of<Nanos>({0us, 100us, 1ms}),
                                       .contention = one_of<Nanos>({0us, 20us}),
                                       .preempt = one_of<Nanos>({0ms, 0ms, 2ms}),
                                       .copy_engines = whole(0, max_copy_engines)});
    for (unsigned n = whole(1, 5); n > 0; --n)
      scenario.domains.push_back(domain(scenario));
    return scenario;
  }

  // Where workers run, if the scenario says so.
  Dom0Settings dom0(Scenario const& scenario) {
    Dom0Settings dom0{.vcpus = whole(1, 3), .own_pcpus = chance(0.3) ? whole(1, 2) : 0};
    dom0.cpu.weight = one_of<std::uint32_t>({256, 1024});
    dom0.device_poll = chance(0.5);
    if (dom0.own_pcpus == 0 && chance(0.3)) dom0.cpu.pin = {whole(0, scenario.cpus.pcpus - 1)};
    return dom0;
  }

  policies::Choice policy(Scenario const& scenario) {
    using namespace std::chrono_literals;
    auto const all = policies::registry();
    return {&all[whole(0, static_cast<unsigned>(all.size()) - 1)],
            {.tick = scenario.tick, .hold = one_of<Nanos>({0ms, 0ms, 2ms, 20ms})}};
  }

  // Domains with a pCPU each and one program that always has work. The kernels of the first `lengthy` domains, but not
  // the last one's, may be as long as 300 ms, those of the others a millisecond.
  Scenario greedy_domains(std::size_t lengthy) {
    Scenario scenario = domains_with_pcpus(whole(2, 4));
    for (std::size_t i = 0; i < scenario.domains.size(); ++i) {
      auto const steps = greedy_steps(i < std::min(lengthy, scenario.domains.size() - 1));
      scenario.domains[i].programs.push_back({.name = "p", .phases = {{.steps = steps, .rounds = 0}}});
    }
    return scenario;
  }

  // The first domain's kernels are long; the second one computes between its calls.
  Scenario calls_beside_long_kernels() {
    using namespace std::chrono_literals;
    Scenario scenario = domains_with_pcpus(2);
    Nanos const lengthy = Nanos(1ms) * whole(100, 600);
    scenario.domains[0].programs.push_back(
        {.name = "p", .phases = {{.steps = launches(lengthy, whole(1, 4)), .rounds = 0}}});
    std::vector<Step> const calls{{.kind = Step::Kind::cpu, .span = Nanos(100us) * whole(1, 200)},
                                  {.kind = Step::Kind::call, .span = Nanos(100us) * whole(1, 100)}};
    scenario.domains[1].programs.push_back(
        {.name = "p", .phases = {{.steps = calls, .rounds = 0}}, .spread = chance(0.5) ? 0.5 : 0});
    return scenario;
  }

private:
  // Without programs, on one accelerator.
  Scenario domains_with_pcpus(unsigned domains) {
    using namespace std::chrono_literals;
    Scenario scenario;
    scenario.warm_up = 0ms;
    scenario.tick = one_of<Nanos>({5ms, 10ms});
    scenario.cpus.pcpus = domains;
    scenario.accelerators.push_back({.switch_cost = one_of<Nanos>({0us, 0us, 100us, 1ms}),
                                     .contention = one_of<Nanos>({0us, 20us}),
                                     .preempt = one_of<Nanos>({0ms, 0ms, 2ms})});
    for (unsigned pcpu = 0; pcpu < domains; ++pcpu) {
      DomainScenario domain;
      domain.name = fmt::format("d{}", pcpu + 1);
      domain.cpu.pin = {pcpu};
      domain.cpu.weight = one_of<std::uint32_t>({128, 256, 1024});
      domain.accelerator.credits = chance(0.3) ? policies::default_credits : whole(64, 1024);
      scenario.domains.push_back(domain);
    }
    return scenario;
  }

  std::vector<Step> greedy_steps(bool lengthy) {
    using namespace std::chrono_literals;
    Nanos const kernel =
        lengthy ? one_of<Nanos>({1ms, 10ms, 100ms}) * whole(1, 3) : Nanos(100us) * whole(1, 10);
    return launches(kernel, whole(1, 64));
  }
  static std::vector<Step> launches(Nanos kernel, unsigned count) {
    return {{.kind = Step::Kind::launch, .span = kernel, .count = count}, {.kind = Step::Kind::sync}};
  }

  unsigned whole(unsigned least, unsigned most) {
    return least + static_cast<unsigned>(random_.unit() * (most - least + 1));
  }
  bool chance(double part) { return random_.unit() < part; }
  template <class T> T one_of(std::vector<T> const& values) {
    return values[whole(0, static_cast<unsigned>(values.size()) - 1)];
  }

  DomainScenario domain(Scenario const& scenario) {
    DomainScenario domain;
    domain.name = fmt::format("d{}", scenario.domains.size() + 1);
    domain.vcpus = whole(1, 2);
    domain.cpu.weight = one_of<std::uint32_t>({64, 256, 1024});
    domain.cpu.cap = chance(0.2) ? 30 : 0;
    if (chance(0.3)) domain.cpu.pin = {whole(0, scenario.cpus.pcpus - 1)};
    domain.accelerator.credits = one_of<std::uint32_t>({1, 256, 1024, 65535});
    domain.accelerator.slo = chance(0.2) ? 0.1 : 0;
    domain.accelerator.accelerator = whole(0, static_cast<unsigned>(scenario.accelerators.size()) - 1);
    for (unsigned n = whole(0, 3); n > 0; --n)
      domain.programs.push_back(program());
    if (chance(0.3)) nest(domain);
    return domain;
  }

  void nest(DomainScenario& domain) {
    using namespace std::chrono_literals;
    domain.nested = {.lag = one_of<Nanos>({0ms, 2ms, 20ms}),
                     .idle_after = one_of<Nanos>({0ms, 10ms}),
                     .period = one_of<Nanos>({100us, 1ms, 7ms})};
    for (ProgramSettings& each : domain.programs)
      each.weight = one_of<double>({0.5, 1, 3});
  }

  ProgramSettings program() {
    using namespace std::chrono_literals;
    ProgramSettings program{.name = "p",
                            .phases = {},
                            .start = Nanos(1ms) * whole(0, 100),
                            .spread = chance(0.5) ? 0.5 : 0,
                            .wait = one_of<Wait>({Wait::hybrid, Wait::spin, Wait::block})};
    if (chance(0.3)) program.phases.push_back({.steps = steps(), .rounds = whole(1, 20)});
    program.phases.push_back({.steps = steps(), .rounds = chance(0.3) ? whole(1, 5) : 0});
    return program;
  }

  std::vector<Step> steps() {
    using namespace std::chrono_literals;
    std::vector<Step> steps;
    for (unsigned n = whole(1, 4); n > 0; --n) {
      auto const kind =
          one_of<Step::Kind>({Step::Kind::cpu, Step::Kind::launch, Step::Kind::call, Step::Kind::sync,
                              Step::Kind::sleep, Step::Kind::to_device, Step::Kind::from_device});
      steps.push_back({.kind = kind,
                       .span = one_of<Nanos>({1us, 50us, 300us, 3ms}),
                       .count = kind == Step::Kind::launch ? whole(1, 300) : 1});
    }
    steps.push_back({.kind = Step::Kind::call, .span = one_of<Nanos>({10us, 1ms, 100ms})});
    return steps;
  }

  Random random_;
};

} // namespace pegasus::sim::testing
