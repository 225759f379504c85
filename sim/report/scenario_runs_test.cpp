// SPDX-License-Identifier: Apache-2.0
#include "sim/report/scenario_runs.h"

#include "sim/report/recording.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;

namespace {

Scenario scenario_of(std::string const& program) {
  auto const scenarios = parse_scenarios("duration = \"300ms\"\n[[domain]]\ncopies = "
                                         "2\n[[domain.program]]\nsteps = [\"cpu 1ms\", \"call 2ms\"]\n" +
                                             program,
                                         "test");
  REQUIRE(scenarios);
  return scenarios->front();
}

std::optional<double> progress(Run const& run) { return run.progress[0]; }

} // namespace

TEST_CASE("each seed is run under each policy, and the first one's runs are those of one seed") {
  Recording recording;
  auto const runs =
      run_seeds("s", scenario_of("spread = 0.5"), {"fair", "none"}, {.first = 7, .count = 3}, &recording);
  REQUIRE(runs);
  REQUIRE(runs->seeds.size() == 3);
  for (std::size_t seed = 0; seed < 3; ++seed) {
    REQUIRE(runs->seeds[seed].size() == 2);
    CHECK(runs->seeds[seed][1].seed == 7 + seed);
    CHECK(runs->seeds[seed][1].policy == "none");
  }
  CHECK(runs->runs[0].progress == runs->seeds[0][0].progress);
  CHECK(recording.runs().size() == 2); // of the first seed
  auto const one = run_seeds("s", scenario_of("spread = 0.5"), {"fair", "none"}, {.first = 7}, nullptr);
  CHECK(one->seeds.empty());
  CHECK(one->runs[1].progress == runs->runs[1].progress);
}

TEST_CASE("the mean of a value is over all seeds, and its interval is 0 where nothing is random") {
  auto const random =
      run_seeds("s", scenario_of("spread = 0.5"), {"fair"}, {.first = 1, .count = 3}, nullptr);
  auto const estimate = estimate_of(*random, 0, progress);
  double sum = 0;
  for (auto const& runs : random->seeds)
    sum += runs[0].progress[0];
  CHECK(estimate->mean == Approx(sum / 3));
  CHECK(*estimate->interval > 0);
  CHECK(is_random(random->scenario));
  auto const fixed = run_seeds("s", scenario_of(""), {"fair"}, {.first = 1, .count = 3}, nullptr);
  CHECK(estimate_of(*fixed, 0, progress)->interval == 0.0);
  CHECK_FALSE(is_random(fixed->scenario));
  CHECK_FALSE(run_seeds("s", scenario_of(""), {"fastest"}, {}, nullptr));
}

TEST_CASE("seeds in which a run has no value do not count, and one seed has no interval") {
  ScenarioRuns of{.name = "s", .scenario = {}, .runs = std::vector<Run>(1)};
  for (double const value : {1.0, 0.0, 3.0})
    of.seeds.emplace_back(1).front().overhead = value;
  auto const positive = [](Run const& run) {
    return run.overhead > 0 ? std::optional(run.overhead) : std::nullopt;
  };
  CHECK(estimate_of(of, 0, positive)->mean == 2);
  CHECK_FALSE(estimate_of(of, 0, [](Run const&) { return std::optional<double>(); }));
  of.seeds.clear();
  of.runs[0].overhead = 5;
  CHECK(estimate_of(of, 0, positive)->mean == 5);
  CHECK_FALSE(estimate_of(of, 0, positive)->interval);
}

TEST_CASE("a title says which of the values it is") {
  Scenario scenario;
  scenario.title = "kernels of $, and $";
  CHECK(title_of(scenario) == "kernels of $, and $");
  scenario.variant = "2ms";
  CHECK(title_of(scenario) == "kernels of 2ms, and 2ms");
  scenario.title = "kernels";
  CHECK(title_of(scenario) == "kernels, vary = 2ms");
  scenario.title = "";
  CHECK(title_of(scenario) == "vary = 2ms");
}
