// SPDX-License-Identifier: Apache-2.0
// What docs/evaluation/latency.md says is so.
#include "sim/testing/builtin_runs.h"

using namespace pegasus::sim;
using namespace pegasus::sim::testing;

namespace {

// Of the domain with requests, in milliseconds, and what the other one does beside it.
struct Cell {
  double p50, p99, p999;
  double batch; // kernels per second
};

Cell cell(std::string_view name, std::string_view variant) {
  Scenario const scenario = builtin_variant(name, variant);
  Run const run = results_of(scenario, scenario.policies).front();
  auto const of = [&run](Measure measure, std::size_t domain) { return values_of(measure, run).at(domain); };
  return {.p50 = of(Measure::median, 0),
          .p99 = of(Measure::p99, 0),
          .p999 = of(Measure::p999, 0),
          .batch = of(Measure::kernels, 1)};
}

} // namespace

TEST_CASE("looking ahead gives regular requests the latency of short pieces for a third of their price") {
  double const best = cell("latency-pieces-regular", "2ms").batch; // with the longest pieces
  for (std::string_view const length : {"200us", "500us"}) {
    INFO(length);
    Cell const fixed = cell("latency-pieces-regular", length);
    Cell const ahead = cell("latency-targets-regular", length);
    CHECK(ahead.p50 <= fixed.p50);
    CHECK(ahead.p99 <= fixed.p99);
    CHECK(ahead.p999 <= 1.02 * fixed.p999);
    CHECK(best - ahead.batch <= (best - fixed.batch) / 3);
  }
}

TEST_CASE("looking ahead is no worse than short pieces where requests come at random") {
  for (std::string_view const length : {"200us", "500us"}) {
    INFO(length);
    Cell const fixed = cell("latency-pieces-random", length);
    Cell const ahead = cell("latency-targets-random", length);
    CHECK(ahead.p50 <= 1.02 * fixed.p50);
    CHECK(ahead.p99 <= 1.02 * fixed.p99);
    CHECK(ahead.batch >= 0.999 * fixed.batch);
  }
}
