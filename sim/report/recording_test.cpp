// SPDX-License-Identifier: Apache-2.0
#include "sim/report/recording.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

Scenario recorded_scenario(std::size_t domains) {
  Scenario scenario;
  scenario.duration = 5s; // intervals of 100 ms
  scenario.warm_up = 1s;
  scenario.accelerators.resize(1);
  scenario.domains.resize(domains);
  return scenario;
}

pegasus::policies::Time at(Nanos time) { return pegasus::policies::Time{} + time; }

Nanos sum(RunRecord::Intervals const& of) { return std::accumulate(of.begin(), of.end(), Nanos{0}); }

} // namespace

TEST_CASE("device time is counted in the intervals in which it was, and not outside the measurement") {
  Recording recording;
  recording.begin(recorded_scenario(2), "fair");
  recording.kernel_ran(0, 0, at(900ms), at(1030ms));  // begins before it
  recording.kernel_ran(0, 0, at(1050ms), at(1210ms)); // over a whole interval
  recording.kernel_ran(0, 1, at(1210ms), at(1300ms));
  recording.kernel_ran(0, 1, at(5990ms), at(6500ms)); // ends after it
  recording.kernel_ran(0, 1, at(6500ms), at(6600ms));
  RunRecord const& run = recording.runs().front();
  CHECK(run.device[0][0] == 80ms);
  CHECK(run.device[0][1] == 100ms);
  CHECK(run.device[0][2] == 10ms);
  CHECK(sum(run.device[0]) == 190ms);
  CHECK(run.device[1][2] == 90ms);
  CHECK(run.device[1][49] == 10ms);
  CHECK(sum(run.device[1]) == 100ms);
}

TEST_CASE("intervals of a duration that they do not divide lose nothing") {
  Scenario scenario = recorded_scenario(1);
  scenario.duration = 1'000'000'007ns;
  Recording recording;
  recording.begin(scenario, "fair");
  recording.kernel_ran(0, 0, at(0s), at(1h));
  CHECK(sum(recording.runs().front().device[0]) == scenario.duration);
}

TEST_CASE("each of many domains is recorded") {
  Recording recording;
  recording.begin(recorded_scenario(1000), "fair");
  recording.kernel_ran(0, 999, at(1s), at(1010ms));
  RunRecord const& run = recording.runs().front();
  REQUIRE(run.device.size() == 1000);
  CHECK(sum(run.device.back()) == 10ms);
  CHECK(run.accelerator.back().domain == 999);
}

TEST_CASE("Dom0 is recorded as the domain after the last") {
  Recording recording;
  recording.begin(recorded_scenario(2), "fair");
  recording.vcpu_ran(0, 7, at(1s), at(1010ms));
  REQUIRE(recording.runs().front().cpu.size() == 1);
  CHECK(recording.runs().front().cpu[0].domain == 2);
}

TEST_CASE("the window has what ran at the beginning of the measurement, cut at its borders") {
  Recording recording;
  recording.begin(recorded_scenario(2), "fair");
  recording.vcpu_ran(0, 1, at(980ms), at(1005ms));
  recording.kernel_ran(0, 0, at(1090ms), at(1150ms));
  recording.kernel_ran(0, 0, at(1150ms), at(1160ms)); // after it
  RunRecord const& run = recording.runs().front();
  REQUIRE(run.cpu.size() == 1);
  CHECK((run.cpu[0].from == 0ms && run.cpu[0].to == 5ms && run.cpu[0].domain == 1));
  REQUIRE(run.accelerator.size() == 1);
  CHECK((run.accelerator[0].from == 90ms && run.accelerator[0].to == 100ms));
}

TEST_CASE("the window ends with the last piece that there is room for") {
  Recording recording;
  recording.begin(recorded_scenario(1), "fair");
  for (std::size_t i = 0; i < 2 * recorded_pieces; ++i) {
    Nanos const from = 1s + 10us * static_cast<std::int64_t>(i);
    recording.kernel_ran(0, 0, at(from), at(from + 10us));
  }
  recording.vcpu_ran(0, 0, at(1s), at(2s)); // ran all the time, and ends last
  RunRecord const& run = recording.runs().front();
  CHECK(run.window == 10us * static_cast<std::int64_t>(recorded_pieces));
  CHECK(run.accelerator.size() == recorded_pieces);
  REQUIRE(run.cpu.size() == 1);
  CHECK(run.cpu[0].to == run.window);
}
