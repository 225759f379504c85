// SPDX-License-Identifier: Apache-2.0
// What must be true of any scenario: random hosts, guests and programs under each policy and each of Xen's schedulers.
#include "policies/registry.h"
#include "sim/host.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

class Generator {
public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Scenario scenario() {
    Scenario made;
    made.duration = 300ms;
    made.warm_up = 50ms;
    made.runaway = chance(0.3) ? 40ms : 10s;
    made.tick = one_of<Nanos>({500us, 5ms, 10ms});
    made.cpus = {.pcpus = whole(1, 3),
                 .slice = one_of<Nanos>({1ms, 5ms, 30ms}),
                 .ratelimit = one_of<Nanos>({0ms, 1ms})};
    for (unsigned n = whole(1, 2); n > 0; --n)
      made.accelerators.push_back({.switch_cost = one_of<Nanos>({0us, 100us, 1ms}),
                                   .contention = one_of<Nanos>({0us, 20us}),
                                   .preempt = one_of<Nanos>({0ms, 0ms, 2ms})});
    for (unsigned n = whole(1, 5); n > 0; --n)
      made.domains.push_back(domain(made));
    return made;
  }

  pegasus::policies::Choice policy(Scenario const& scenario) {
    auto const all = pegasus::policies::registry();
    return {&all[whole(0, static_cast<unsigned>(all.size()) - 1)],
            {.tick = scenario.tick, .hold = one_of<Nanos>({0ms, 0ms, 2ms, 20ms})}};
  }

private:
  unsigned whole(unsigned least, unsigned most) {
    return least + static_cast<unsigned>(random_.unit() * (most - least + 1));
  }
  bool chance(double part) { return random_.unit() < part; }
  template <class T> T one_of(std::vector<T> const& values) {
    return values[whole(0, static_cast<unsigned>(values.size()) - 1)];
  }

  DomainScenario domain(Scenario const& scenario) {
    DomainScenario made;
    made.name = "d";
    made.vcpus = whole(1, 2);
    made.cpu.weight = one_of<std::uint32_t>({64, 256, 1024});
    made.cpu.cap = chance(0.2) ? 30 : 0;
    if (chance(0.3)) made.cpu.pin = {whole(0, scenario.cpus.pcpus - 1)};
    made.accelerator.credits = one_of<std::uint32_t>({1, 256, 1024, 65535});
    made.accelerator.slo = chance(0.2) ? 0.1 : 0;
    made.accelerator.accelerator = whole(0, static_cast<unsigned>(scenario.accelerators.size()) - 1);
    for (unsigned n = whole(0, 3); n > 0; --n)
      made.programs.push_back(program());
    return made;
  }

  ProgramSettings program() {
    ProgramSettings made{.name = "p",
                         .phases = {},
                         .start = Nanos(1ms) * whole(0, 100),
                         .spread = chance(0.5) ? 0.5 : 0,
                         .wait = one_of<Wait>({Wait::hybrid, Wait::spin, Wait::block})};
    if (chance(0.3)) made.phases.push_back({.steps = steps(), .rounds = whole(1, 20)});
    made.phases.push_back({.steps = steps(), .rounds = chance(0.3) ? whole(1, 5) : 0});
    return made;
  }

  std::vector<Step> steps() {
    std::vector<Step> made;
    for (unsigned n = whole(1, 4); n > 0; --n) {
      auto const kind = one_of<Step::Kind>(
          {Step::Kind::cpu, Step::Kind::launch, Step::Kind::call, Step::Kind::sync, Step::Kind::sleep});
      made.push_back({.kind = kind,
                      .span = one_of<Nanos>({1us, 50us, 300us, 3ms}),
                      .count = kind == Step::Kind::launch ? whole(1, 300) : 1});
    }
    made.push_back({.kind = Step::Kind::call, .span = one_of<Nanos>({10us, 1ms, 100ms})});
    return made;
  }

  Random random_;
};

// The scenario of that seed under both of Xen's schedulers.
void for_both(Scenario scenario, pegasus::policies::Choice const& policy, std::uint64_t seed,
              void (*check)(Scenario const&, Outcome const&)) {
  for (auto const& [name, scheduler] : scheduler_kinds) {
    INFO(fmt::format("seed {}, policy {}, {}", seed, policy.policy->name, name));
    scenario.cpus.scheduler = scheduler;
    check(scenario, Host(scenario, policy, seed).run());
  }
}

void check_times(Scenario const& scenario, Outcome const& outcome) {
  std::vector<Nanos> executed(scenario.accelerators.size());
  Nanos cpu{0};
  for (DomainOutcome const& domain : outcome.domains) {
    executed[domain.accelerator] += domain.device;
    cpu += domain.cpu;
    REQUIRE(domain.device >= Nanos{0});
  }
  CHECK(cpu <= outcome.duration * scenario.cpus.pcpus);
  for (std::size_t i = 0; i < executed.size(); ++i) {
    AcceleratorOutcome const& accelerator = outcome.accelerators[i];
    REQUIRE(executed[i] == accelerator.busy);
    CHECK(accelerator.busy <= outcome.duration);
  }
}

void check_progress(Scenario const& /*scenario*/, Outcome const& outcome) {
  for (DomainOutcome const& domain : outcome.domains)
    for (ProgramOutcome const& program : domain.programs)
      CHECK(program.kernels > 0);
}

} // namespace

TEST_CASE("no time is lost or made up, whatever runs") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Generator generator(seed);
    Scenario const scenario = generator.scenario();
    auto const policy = generator.policy(scenario);
    for_both(scenario, policy, seed, check_times);
  }
}

TEST_CASE("each program goes on: none waits for ever") {
  for (std::uint64_t seed = 1001; seed <= 1040; ++seed) {
    Generator generator(seed);
    Scenario scenario = generator.scenario();
    scenario.runaway = 10s;
    for (DomainScenario& domain : scenario.domains)
      domain.accelerator.credits = 256; // equal ones: each has its turn within the time below
    scenario.warm_up = 0ms;
    scenario.duration = 10s;
    auto const policy = generator.policy(scenario);
    for_both(scenario, policy, seed, check_progress);
  }
}
