// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/brief_scenarios.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;

TEST_CASE("greedy domains share the device by credits under each policy that promises it") {
  Scenario const scenario =
      scenario_in("duration = \"5s\"\n" + domain("a", "credits = 1024", greedy) +
                  domain("b", "credits = 512", greedy) + domain("c", "credits = 256", greedy));
  for (Run const& run : runs_of(scenario, {"accc", "slaf", "fair", "eevdf", "lead", "augc"})) {
    INFO(run.policy);
    CHECK(share(run, 0) == Approx(4.0 / 7).margin(0.02));
    CHECK(share(run, 1) == Approx(2.0 / 7).margin(0.02));
    CHECK(share(run, 2) == Approx(1.0 / 7).margin(0.02));
    CHECK(run.mmr > 0.95);
  }
}

TEST_CASE(
    "equal greedy domains without a policy have a half each, and what one does alone takes twice as long") {
  Scenario const scenario = scenario_in(domain("a", "", greedy) + domain("b", "", greedy));
  Run const run = runs_of(scenario, {"none"}).front();
  CHECK(share(run, 0) == Approx(0.5).margin(0.01));
  CHECK(run.progress[0] == Approx(0.5).margin(0.02));
  CHECK(run.mmr == Approx(1).margin(0.02));
  CHECK(run.overhead == Approx(1).margin(0.03));
}

TEST_CASE("without a policy longer kernels get more of the device; under fair they do not") {
  Scenario const scenario =
      scenario_in("duration = \"5s\"\n" + domain("long", "", "steps = [\"launch 10ms 16\", \"sync\"]") +
                  domain("short", "", "steps = [\"launch 1ms 64\", \"sync\"]"));
  auto const runs = runs_of(scenario, {"none", "fair"});
  CHECK(share(runs[0], 0) == Approx(10.0 / 11).margin(0.02)); // kernel by kernel in turn
  CHECK(share(runs[1], 0) == Approx(0.5).margin(0.02));
}

TEST_CASE("lead does the work of none where a change of owner is free, and more where it costs") {
  Scenario const scenario = scenario_in(domain("a", "credits = 512", synchronous) +
                                        domain("b", "credits = 256", "steps = [\"launch 2ms 4\", \"sync\"]") +
                                        domain("c", "credits = 256", synchronous));
  auto const free = runs_of(scenario, {"none", "lead"});
  CHECK(free[1].overhead <= free[0].overhead * 1.02);
  auto const dear = runs_of(scenario_in(two_synchronous("switch_cost = \"1ms\"")), {"none", "fair", "lead"});
  CHECK(dear[2].overhead < dear[0].overhead / 1.5);
  CHECK(dear[2].overhead < dear[1].overhead / 1.5);
  CHECK(dear[2].mmr > 0.98);
}

TEST_CASE("holding time slices pays where a change of context is dear, and only there") {
  auto const work = [](Run const& run) { return run.progress[0] + run.progress[1]; };
  auto const dear =
      runs_of(scenario_in(two_synchronous("switch_cost = \"1ms\"")), {"none", "xc", "xc hold=10ms"});
  CHECK(work(dear[2]) > 1.6 * work(dear[0]));
  CHECK(work(dear[1]) < 1.1 * work(dear[0]));
  auto const cheap = runs_of(scenario_in(two_synchronous("")), {"none", "xc hold=10ms"});
  CHECK(work(cheap[1]) < work(cheap[0]));
}

TEST_CASE("an unknown policy or tunable is an error that names what there is") {
  Scenario const scenario = scenario_in(domain("a", "", greedy));
  auto const unknown = run_policies(scenario, {"fastest"}, 1);
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error(), Catch::Contains("fastest") && Catch::Contains("accc"));
  CHECK_FALSE(run_policies(scenario, {"fair slice=1week"}, 1));
}
