// SPDX-License-Identifier: Apache-2.0
#include "sim/host.h"

#include "policies/registry.h"
#include "sim/report/print.h"
#include "sim/testing/brief_scenarios.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;

TEST_CASE("no time is lost: what the domains executed is what the engine executed") {
  Scenario const scenario =
      scenario_in(domain("a", "credits = 700", greedy) + domain("b", "", synchronous) +
                  domain("c", "", "spread = 0.5\nsteps = [\"sleep 3ms\", \"launch 1ms 4\", \"sync\"]"));
  for (pegasus::policies::Entry const& entry : pegasus::policies::registry()) {
    Run const run = runs_of(scenario, {std::string(entry.name)}).front();
    INFO(run.policy);
    Nanos all{0};
    for (DomainOutcome const& each : run.outcome.domains)
      all += each.device;
    AcceleratorOutcome const& accelerator = run.outcome.accelerators[0];
    CHECK(all == accelerator.busy);
    CHECK(accelerator.busy + accelerator.switching <= run.outcome.duration);
    // The greedy one always has work, if it has a CPU: only the changes of owner leave the device idle.
    if (entry.work_conserving && !entry.guests_poll)
      CHECK(std::chrono::duration<double>(accelerator.busy) / run.outcome.duration > 0.93);
  }
}

TEST_CASE("the same seed gives the same output, another seed another") {
  Scenario const scenario =
      scenario_in(domain("a", "", "spread = 0.3\nsteps = [\"cpu 1ms\", \"launch 1ms 4\", \"sync\"]") +
                  domain("b", "", synchronous));
  auto const output = [&](std::uint64_t seed) {
    return as_json(std::vector<ScenarioRuns>{{"two", scenario, runs_of(scenario, {"fair"}, seed)}});
  };
  CHECK(output(7) == output(7));
  CHECK(output(7) != output(8));
}

TEST_CASE("guests that spin lose the pCPU to each other, those that block do not") {
  auto const text = [](std::string const& wait) {
    return domain("a", "", "wait = \"" + wait + "\"\nsteps = [\"cpu 200us\", \"call 2ms\"]") +
           domain("b", "", "wait = \"" + wait + "\"\nsteps = [\"cpu 2ms\", \"call 200us\"]");
  };
  Run const spin = runs_of(scenario_in(text("spin")), {"none"}).front();
  Run const block = runs_of(scenario_in(text("block")), {"none"}).front();
  CHECK(spin.progress[0] + spin.progress[1] < 0.8 * (block.progress[0] + block.progress[1]));
}

TEST_CASE("under credit2 guests share the device by credits and the pCPU by weight") {
  std::string const cpus = "duration = \"5s\"\n[cpus]\nscheduler = \"credit2\"\n";
  for (Run const& run :
       runs_of(scenario_in(cpus + domain("a", "credits = 1024", greedy) +
                           domain("b", "credits = 512", greedy) + domain("c", "credits = 256", greedy)),
               {"accc", "fair", "eevdf", "lead", "augc"})) {
    INFO(run.policy);
    CHECK(share(run, 0) == Approx(4.0 / 7).margin(0.02));
    CHECK(share(run, 1) == Approx(2.0 / 7).margin(0.02));
  }
  constexpr auto computes = "steps = [\"cpu 20ms\", \"call 10us\"]";
  Run const run = runs_of(scenario_in(cpus + domain("light", "weight = 256", computes) +
                                      domain("heavy", "weight = 768", computes)),
                          {"none"})
                      .front();
  CHECK(std::chrono::duration<double>(run.outcome.domains[1].cpu) / run.outcome.domains[0].cpu ==
        Approx(3).epsilon(0.05));
}

// docs/design/simulator.md, "What a wake-up costs".
TEST_CASE(
    "the rate limit of credit2 costs a guest that wakes up within it, and has a neighbour that computes") {
  auto const calls = [](std::string const& cpus) {
    Run const run =
        runs_of(scenario_in("[cpus]\n" + cpus + "\n" + domain("computes", "", "steps = [\"cpu 9s\"]") +
                            domain("waits", "", "steps = [\"cpu 100us\", \"call 300us\"]")),
                {"none"})
            .front();
    return run.outcome.domains[1].programs[0].kernels;
  };
  auto const limited = calls("scheduler = \"credit2\"");
  CHECK(limited > 0);
  CHECK(calls("scheduler = \"credit2\"\nratelimit = \"0\"") > 20 * limited);
  CHECK(calls("") > 8 * limited); // credit looks again when the limit ends
}
