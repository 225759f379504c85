// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/scenario_text.h"

#include "ctl/record/test_intervals.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

namespace {

constexpr Interval nothing{.length_ns = 500 * ms};

// Half a second of one task that makes synchronous calls.
Interval half(std::uint64_t device_ms, std::uint64_t waited_ms, std::uint64_t calls) {
  return interval(500, device_ms, waited_ms, calls);
}

RecordedDomain domain(std::string name, std::vector<Interval> intervals) {
  RecordedDomain made;
  made.name = std::move(name);
  made.credits = 256;
  made.intervals = std::move(intervals);
  return made;
}

Recording recording_of(std::vector<RecordedDomain> domains) {
  return {.policy = "accc", .tick = "10ms", .switch_costs_ns = {0}, .domains = std::move(domains)};
}

} // namespace

TEST_CASE("a recording is a scenario") {
  RecordedDomain busy = domain("busy", {half(400, 100, 200), half(400, 100, 200)});
  busy.program = "say \"hi\"";
  busy.credits = 512;
  busy.slo = 0.5;
  busy.latency_slice_ns = 2 * ms;
  busy.cpu_weight = 128;
  Recording recording = recording_of(
      {busy, domain("half", {half(100, 150, 100), half(100, 150, 100)}), domain("idle", {nothing, nothing})});
  recording.policy = "fair slice=2ms";
  recording.switch_costs_ns = {100'000};
  CHECK(
      scenario_text(recording) ==
      R"(# What a pegasusd's domains did, by `pegasusctl record`. sim/README.md describes the keys, and what a replay does not show.
title = "Recorded for 1.0 s under fair slice=2ms"
duration = "1s"
warm_up = "0s"
tick = "10ms"

# Each program has a pCPU of its own: the time between its calls is as it was measured.
[cpus]
count = 3

[[accelerator]]
switch_cost = "100us"

[[domain]]
name = "busy"
credits = 512
slo = 0.5
latency = "2ms"
weight = 128
[[domain.program]]
name = "say \"hi\""
steps = ["call 2ms"]

[[domain]]
name = "half"
credits = 256
[[domain.program]]
steps = ["call 1ms", "cpu 2.5ms"]

[[domain]]
name = "idle"
credits = 256
# None of its calls was executed.

[recorded]
policy = "fair slice=2ms"
duration = "1s"

[[recorded.domain]]
name = "busy"
device_time = "800ms"
calls = 400
share = 0.800000
mean_wait = "500us"

[[recorded.domain]]
name = "half"
device_time = "200ms"
calls = 200
share = 0.200000
mean_wait = "1.5ms"

[[recorded.domain]]
name = "idle"
device_time = "0s"
calls = 0
share = 0.000000
)");
}

TEST_CASE("a domain that comes and goes has phases") {
  std::string const text = scenario_text(recording_of(
      {domain("a", {nothing, half(500, 0, 100), nothing, nothing, half(400, 100, 100), nothing})}));
  CHECK_THAT(text, Catch::Contains(R"([[domain.program]]
start = "500ms"
[[domain.program.phase]]
rounds = 100
steps = ["call 5ms"]
[[domain.program.phase]]
rounds = 1
steps = ["sleep 1s"]
[[domain.program.phase]]
rounds = 100
steps = ["call 4ms"]

[recorded])"));
}

TEST_CASE("a domain that comes and stays goes on to the end") {
  std::string const text = scenario_text(recording_of({domain("a", {nothing, half(500, 0, 100)})}));
  CHECK_THAT(text, Catch::Contains("[[domain.program]]\nstart = \"500ms\"\nsteps = [\"call 5ms\"]\n"));
}

TEST_CASE("tasks that work at a time are programs") {
  Interval two = half(500, 0, 100);
  two.task_ns = 1000 * ms;
  std::string const text = scenario_text(recording_of({domain("a", {half(500, 0, 100), two})}));
  CHECK_THAT(text, Catch::Contains("count = 2\n") && Catch::Contains("vcpus = 2\n"));
  CHECK_THAT(text, Catch::Contains("[[domain.program]]\nstart = \"500ms\"\n"));
}

TEST_CASE("SLOs that cannot be kept together are not promised together") {
  RecordedDomain first = domain("first", {half(500, 0, 100), nothing});
  RecordedDomain second = domain("second", {nothing, half(500, 0, 100)});
  first.slo = second.slo = 0.6;
  std::string const text = scenario_text(recording_of({first, second}));
  CHECK_THAT(text, Catch::Contains("name = \"first\"\ncredits = 256\nslo = 0.6\n"));
  CHECK_THAT(text, Catch::Contains("\n# slo = 0.6: with those above"));
}

TEST_CASE("with several accelerators each domain has its own, and shares are shares of it") {
  Recording recording = recording_of({domain("a", {half(500, 0, 100)}), domain("b", {half(250, 0, 100)})});
  recording.switch_costs_ns = {0, 0};
  recording.domains[1].accelerator = 1;
  CHECK_THAT(scenario_text(recording), Catch::Contains("accelerator = 1\n"));
  CHECK(share_of(recording, recording.domains[0]) == 1);
  CHECK(share_of(recording, recording.domains[1]) == 1);
}
