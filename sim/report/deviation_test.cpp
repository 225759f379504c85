// SPDX-License-Identifier: Apache-2.0
#include "sim/report/deviation.h"

#include "sim/report/print.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

// `a` has had 3 s of the 4 s that the device was busy, in 10 kernels; `b` the rest, in 30.
Run replayed() {
  Run run;
  run.policy = "fair slice=2ms";
  run.outcome.duration = 5s;
  run.outcome.accelerators.resize(1);
  run.outcome.accelerators[0].busy = 4s;
  for (auto const& [name, device, kernels] : {std::tuple("a", 3s, 10U), std::tuple("b", 1s, 30U)}) {
    DomainOutcome& domain = run.outcome.domains.emplace_back();
    domain.name = name;
    domain.device = device;
    domain.programs.emplace_back().kernels = kernels;
  }
  run.progress = {1, 1};
  return run;
}

Scenario recorded() {
  Scenario scenario;
  scenario.domains.resize(2);
  scenario.recorded = {.policy = "fair slice=2ms",
                       .duration = 10s,
                       .domains = {{.name = "b", .device = 4s, .calls = 0, .share = 0.5},
                                   {.name = "a", .device = 4s, .calls = 25, .share = 0.5}}};
  return scenario;
}

} // namespace

TEST_CASE("a replay is compared by unit of time with what was recorded") {
  auto const all = deviations(recorded(), replayed());
  REQUIRE(all.size() == 2);
  CHECK(all[0].domain == "b");
  CHECK(all[0].share == Approx(-25));
  CHECK(all[0].device_time == Approx(-50)); // 1 s in 5 s, where it had 4 s in 10 s
  CHECK_FALSE(all[0].calls);
  CHECK(all[1].share == Approx(25));
  CHECK(all[1].device_time == Approx(50));
  CHECK(all[1].calls == Approx(-20));
}

TEST_CASE("only the recorded policy is compared") {
  Run other = replayed();
  other.policy = "fair";
  CHECK(deviations(recorded(), other).empty());
  CHECK(deviations(Scenario{}, replayed()).empty());
}

TEST_CASE("table and JSON show the deviations") {
  std::vector<ScenarioRuns> const runs{{"r", recorded(), {replayed()}}};
  CHECK_THAT(as_table(runs), Catch::Contains("the replay's deviation from what was recorded:\n"
                                             "  domain         share  device time   calls\n"
                                             "  b       -25.0 points       -50.0%       -\n"
                                             "  a       +25.0 points       +50.0%  -20.0%\n"));
  CHECK_THAT(as_json(runs),
             Catch::Contains("\"share_points\": -25.0") && Catch::Contains("\"calls_percent\": null"));
}
