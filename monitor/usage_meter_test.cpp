// SPDX-License-Identifier: Apache-2.0
// Totals, rates and counts.
#include "monitor/testing/meter.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;
using namespace pegasus::monitor::testing;
using namespace std::chrono_literals;

TEST_CASE("usage: a domain's totals are the sums over its tasks, also those that are gone") {
  Meter meter;
  for (TaskId const task : {1U, 2U, 3U}) {
    meter.attach(task, task < 3 ? 7 : 8, Time{});
    meter.gate_opened(task, Time{});
  }
  meter.read(1, {5ms, 0ms, 10, 3, 4096, 100, true, Time{10ms}}, Time{10ms});
  meter.read(2, {2ms, 0ms, 20, 4, 1, 50, true}, Time{10ms});
  CHECK(meter.domain(7).device_busy == 7ms);
  CHECK(meter.domain(7).calls == 30);
  CHECK(meter.domain(7).sync_calls == 7);
  CHECK(meter.domain(7).bytes == 4097);
  CHECK(meter.domain(7).memory_bytes == 150);
  CHECK(meter.domain(7).tasks == 2);
  CHECK(meter.domain(7).calls_waiting == 2);
  CHECK(meter.domain(7).on_device == 1);
  CHECK(meter.domain(8).device_busy == 0ms);
  CHECK(meter.used(1) == 5ms);

  meter.detach(1, Time{10ms});
  CHECK(meter.domain(7).device_busy == 7ms);
  CHECK(meter.domain(7).calls == 30);
  CHECK(meter.domain(7).memory_bytes == 50);
  CHECK(meter.domain(7).tasks == 1);
  CHECK(meter.domain(7).on_device == 0);

  meter.forget(7);
  CHECK(meter.domain(7).calls == 0);
  CHECK(meter.domain(99).tasks == 0);
}

TEST_CASE("usage: only growth counts, and only of attached tasks") {
  Meter meter;
  meter.read(1, busy(5ms), Time{10ms});
  CHECK(meter.domains().empty());
  meter.attach(1, 7, Time{10ms});
  meter.gate_opened(1, Time{10ms});
  meter.read(1, busy(5ms), Time{20ms});
  meter.read(1, busy(5ms), Time{30ms});
  CHECK(meter.domain(7).device_busy == 5ms);
  meter.read(1, busy(9ms), Time{40ms});
  CHECK(meter.domain(7).device_busy == 9ms);
}

TEST_CASE("usage: totals never decrease") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, {8ms, 0ms, 10, 10, 10, 0, false}, Time{10ms});
  meter.read(1, {1ms, 0ms, 2, 2, 2, 0, false}, Time{20ms});
  CHECK(meter.domain(7).device_busy == 8ms);
  CHECK(meter.domain(7).calls == 10);
  meter.read(1, {4ms, 0ms, 3, 3, 3, 0, false}, Time{30ms});
  CHECK(meter.domain(7).device_busy == 11ms);
  CHECK(meter.domain(7).calls == 11);
  meter.read(1, busy(-5h), Time{40ms});
  CHECK(meter.domain(7).device_busy == 11ms);
}

TEST_CASE("usage: the rate of synchronous calls is that of the time with the gate open") {
  Meter meter;
  meter.attach(1, 7, Time{});
  TaskTotals totals;
  Time now{0ms};
  for (int i = 0; i < 100; ++i) { // 2 calls a millisecond while it is served, which is a third of the time
    meter.gate_opened(1, now);
    totals.sync_calls += 20;
    meter.read(1, totals, now += 10ms);
    meter.gate_closed(1, now);
    meter.drained(1, now);
    meter.read(1, totals, now += 20ms);
  }
  CHECK(meter.domain(7).sync_call_rate == Approx(2000).epsilon(0.01));
  meter.gate_opened(1, now);
  meter.read(1, totals, now += 100ms); // one half-life
  CHECK(meter.domain(7).sync_call_rate == Approx(1000).epsilon(0.01));
  meter.detach(1, now);
  CHECK(meter.domain(7).sync_call_rate == 0);
}

TEST_CASE("usage: requests that wait are those of tasks that do, and no more than a call buffer holds") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.attach(2, 7, Time{});
  TaskTotals totals;
  totals.waiting = true;
  totals.requests_waiting = 5;
  meter.read(1, totals, Time{1ms});
  totals.requests_waiting = 4'000'000'000;
  meter.read(2, totals, Time{1ms});
  CHECK(meter.domain(7).requests_waiting == 5 + 4096);
  meter.detach(2, Time{1ms});
  CHECK(meter.domain(7).requests_waiting == 5);
  totals.waiting = false;
  meter.read(1, totals, Time{2ms});
  CHECK(meter.domain(7).requests_waiting == 0);
}

TEST_CASE("usage: the device's whole time outlives the domains that used it") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.attach(2, 8, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, busy(5ms), Time{10ms});
  meter.gate_closed(1, Time{10ms});
  meter.drained(1, Time{10ms});
  meter.gate_opened(2, Time{10ms});
  meter.read(2, busy(3ms), Time{20ms});
  CHECK(meter.device_busy() == 8ms);
  meter.forget(7);
  CHECK(meter.device_busy() == 8ms);
}
