// SPDX-License-Identifier: Apache-2.0
// What docs/evaluation/fairgv.md promises of `fair` is so.
#include "sim/testing/builtin_runs.h"

using namespace pegasus::sim;
using namespace pegasus::sim::testing;

TEST_CASE(
    "fair has FairGV's ratio and overhead with each program of its figures 8 and 9 and of its Table 3") {
  auto const programs = scenarios_of({"fairgv-fig8-", "fairgv-fig9-", "fairgv-table3-"});
  CHECK(programs.size() == 10);
  for (auto const& variants : programs) {
    Run const run = results_of(variants.front(), {"fair"}).front();
    INFO(variants.front().title);
    CHECK(run.mmr >= 0.99);
    CHECK(run.overhead <= 1.02);
  }
}
