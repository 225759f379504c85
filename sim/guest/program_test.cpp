// SPDX-License-Identifier: Apache-2.0
#include "sim/guest/program.h"

#include "sim/testing/brief_scenarios.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;
using namespace std::chrono_literals;

TEST_CASE("requests come when they come: a wait is counted from then on") {
  auto const latency = [](std::string const& steps) {
    Scenario const scenario =
        scenario_in("duration = \"10s\"\n" + domain("a", "", "steps = [" + steps + "]"));
    return values_of(Measure::latency, runs_of(scenario, {"none"}).front()).front();
  };
  CHECK(latency("\"every 5ms\", \"call 1ms\"") == Approx(1).margin(0.1));
  // the second from its call
  CHECK(latency("\"every 5ms\", \"call 1ms\", \"call 3ms\"") == Approx(2).margin(0.1));
  CHECK(latency("\"every 1ms\", \"call 2ms\"") > 1000); // each comes a millisecond later than the one before
  // A queue with random arrivals and constant service, half busy: half a service time of waiting on the mean
  // (Pollaczek-Khinchine).
  CHECK(latency("\"arrive 10ms\", \"call 5ms\"") == Approx(7.5).margin(0.5));
}

TEST_CASE("a program that ends frees the device, and one that runs away is killed") {
  Scenario const scenario = scenario_in(
      "runaway = \"100ms\"\nwarm_up = \"0\"\n" + domain("few", "", "rounds = 3\nsteps = [\"call 1ms\"]") +
      domain("endless", "", "steps = [\"call 60s\"]") + domain("other", "", greedy));
  Run const run = runs_of(scenario, {"accc"}).front();
  ProgramOutcome const& few = run.outcome.domains[0].programs[0];
  REQUIRE(few.ended);
  CHECK(few.rounds == 3);
  ProgramOutcome const& endless = run.outcome.domains[1].programs[0];
  CHECK(endless.killed);
  CHECK(run.outcome.domains[1].device < 200ms);
  CHECK(run.outcome.domains[2].device > 1500ms);
}

TEST_CASE("a program goes from phase to phase, and ends with the last") {
  std::string const phase = "[[domain.program.phase]]\n";
  Scenario const scenario =
      scenario_in("duration = \"1s\"\nwarm_up = \"0\"\n" +
                  domain("a", "",
                         phase + "rounds = 10\nsteps = [\"call 1ms\"]\n" + phase +
                             "steps = [\"sleep 100ms\"]\n" + phase + "rounds = 5\nsteps = [\"call 2ms\"]"));
  Run const run = runs_of(scenario, {"accc"}).front();
  ProgramOutcome const& program = run.outcome.domains[0].programs[0];
  CHECK(program.kernels == 15);
  CHECK(program.rounds == 16);
  CHECK(run.outcome.domains[0].device == 20ms);
  REQUIRE(program.ended);
  CHECK(*program.ended >= 120ms);
  CHECK(*program.ended < 130ms);
}

TEST_CASE("programs that poll on one vCPU take turns") {
  std::string const polls = "[[domain.program]]\nwait = \"spin\"\nsteps = [\"call 1ms\"]\n";
  Run const run = runs_of(scenario_in("[[domain]]\n" + polls + polls), {"none"}).front();
  auto const& programs = run.outcome.domains[0].programs;
  CHECK(programs[0].kernels > 900);
  CHECK(static_cast<double>(programs[1].kernels) == Approx(programs[0].kernels).epsilon(0.05));
}
