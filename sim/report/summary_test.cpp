// SPDX-License-Identifier: Apache-2.0
#include "sim/report/summary.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace pegasus::sim;

namespace {

Run run_of(std::string policy, double mmr, double overhead, double wait_us, std::uint64_t kernels = 10) {
  Run run;
  run.policy = std::move(policy);
  run.mmr = mmr;
  run.overhead = overhead;
  run.progress = {1 / overhead};
  DomainOutcome& domain = run.outcome.domains.emplace_back();
  domain.wait_p99_us = wait_us;
  domain.programs.emplace_back().kernels = kernels;
  return run;
}

ScenarioRuns runs_of(std::vector<Run> runs) { return {.name = "s", .scenario = {}, .runs = std::move(runs)}; }

std::string line_of(SummaryRow const& row) {
  std::string line = row.policy;
  for (SummaryCell const& cell : row.cells)
    line += " | " + cell.text + (cell.best ? "*" : "");
  return line;
}

bool says(ScenarioRuns const& of, std::string const& what) {
  return std::ranges::any_of(legend_of(of, summary_of(of)),
                             [&](std::string const& line) { return line.starts_with(what); });
}

} // namespace

TEST_CASE("the best of each column is marked") {
  auto const of = runs_of({run_of("a", 0.9, 1.25, 1500), run_of("b", 0.5, 0.8, 12), run_of("c", 0.9, 2, 13)});
  auto const rows = summary_of(of);
  CHECK(line_of(rows[0]) == "a | 0.900* | 1.250 | 0.800 | 1.5 ms");
  CHECK(line_of(rows[1]) == "b | 0.500 | 0.800* | 1.250* | 12 us*");
  CHECK(line_of(rows[2]) == "c | 0.900* | 2.000 | 0.500 | 13 us");
  CHECK(says(of, "*: "));
  CHECK_FALSE(says(of, "-: "));
}

TEST_CASE("nothing is best of one policy, or of policies that look the same") {
  auto const one = runs_of({run_of("a", 1, 1, 10)});
  CHECK(line_of(summary_of(one)[0]) == "a | 1.000 | 1.000 | 1.000 | 10 us");
  CHECK_FALSE(says(one, "*: "));
  auto const same = runs_of({run_of("a", 0.9999, 1, 10), run_of("b", 0.99999, 1, 10)});
  CHECK_FALSE(says(same, "*: "));
}

TEST_CASE("a run that executed nothing has no values, and is not fair") {
  auto const of = runs_of({run_of("idle", 1, 1, 0, 0), run_of("a", 0.5, 1, 10), run_of("b", 0.25, 1, 10)});
  auto const rows = summary_of(of);
  CHECK(line_of(rows[0]) == "idle | - | - | - | -");
  CHECK(line_of(rows[1]) == "a | 0.500* | 1.000 | 1.000 | 10 us");
  CHECK(says(of, "-: no kernels"));
}

TEST_CASE("with several seeds the table has means and intervals, and says whether seeds matter") {
  auto of = runs_of({run_of("a", 0.4, 1, 10)});
  for (double const mmr : {0.4, 0.6})
    of.seeds.push_back({run_of("a", mmr, 1, 10)});
  of.seeds[1][0].seed = 1;
  CHECK(line_of(summary_of(of)[0]) == "a | 0.500 +- 1.271 | 1.000 +- 0.000 | 1.000 +- 0.000 | 10 us +- 0 us");
  CHECK(says(of, "+-: 95 % confidence interval (Student's t) of the mean of 2 seeds, 0 to 1"));
  CHECK(says(of, "nothing in this scenario is random"));
  auto one = of;
  one.seeds.resize(1);
  CHECK(says(one, "one seed has no confidence interval"));
  CHECK_FALSE(says(one, "+-: "));
  of.scenario.domains.resize(1);
  of.scenario.domains[0].programs.push_back({.name = "p", .phases = {}, .spread = 0.1});
  CHECK_FALSE(says(of, "nothing in this scenario is random"));
}
