// SPDX-License-Identifier: Apache-2.0
#include "sim/report/metrics.h"

#include "sim/testing/brief_scenarios.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;

TEST_CASE("work done counts the time until a domain's programs have ended") {
  Scenario const scenario =
      scenario_in("warm_up = \"0ms\"\n" + domain("a", "", std::string(greedy) + "\nrounds = 10") +
                  domain("b", "", greedy));
  Run const run = runs_of(scenario, {"none"}).front();
  REQUIRE(run.outcome.domains[0].programs[0].ended);
  CHECK(run.progress[0] == Approx(1).margin(0.01)); // it ends within the scenario, alone and beside b
  std::vector<double> const work = values_of(Measure::work, run);
  REQUIRE(work.size() == 2);
  CHECK(work[0] == Approx(0.5).margin(0.02)); // ... but takes twice as long for it
  CHECK(work[1] == Approx(run.progress[1]));  // does not end
  CHECK(values_of(Measure::mean_work, run) == std::vector{2 / (1 / work[0] + 1 / work[1])});
}

TEST_CASE("a program's waits have a mean and a standard deviation") {
  Scenario const scenario = scenario_in(domain("a", "", "steps = [\"call 10ms\", \"call 30ms\"]") +
                                        domain("b", "accelerator = 0", "steps = [\"cpu 1s\"]"));
  Run const run = runs_of(scenario, {"none"}).front();
  std::vector<double> const latency = values_of(Measure::latency, run);
  std::vector<double> const deviation = values_of(Measure::deviation, run);
  // milliseconds; b waits for nothing
  CHECK(latency == std::vector{run.outcome.domains[0].wait_mean_us / 1000, 0.0});
  CHECK(latency[0] == Approx(20).margin(0.3));
  CHECK(deviation[0] == Approx(10).margin(0.3));
  CHECK(deviation[1] == 0);
}

TEST_CASE("the run time of each program is over that of the program alone") {
  Scenario const scenario = scenario_in("shows = [\"program run time\"]\n[cpus]\ncount = 2\n" +
                                        domain("vm", "vcpus = 2",
                                               "steps = [\"launch 3ms 16\", \"sync\"]\n[[domain.program]]\n"
                                               "steps = [\"launch 1ms 64\", \"sync\"]"));
  auto const run_times = values_of(Measure::program_run_time, runs_of(scenario, {"none"}).front());
  REQUIRE(run_times.size() == 2);
  CHECK(run_times[0] == Approx(4.0 / 3).margin(0.03)); // kernel by kernel in turn
  CHECK(run_times[1] == Approx(4).margin(0.1));
}
