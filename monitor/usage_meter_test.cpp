// SPDX-License-Identifier: Apache-2.0
#include "monitor/usage_meter.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

using namespace pegasus::monitor;
using namespace std::chrono_literals;
using pegasus::policies::DomainView;

namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

UsageMeter::Limits tight() {
  UsageMeter::Limits limits;
  limits.overrun = 20ms;
  return limits;
}

TaskTotals busy(Nanos time) {
  TaskTotals totals;
  totals.device_busy = time;
  return totals;
}

} // namespace

TEST_CASE("usage: a domain's totals are the sums over its tasks, also those that are gone") {
  UsageMeter meter;
  meter.attach(1, 7, 0ms);
  meter.attach(2, 7, 0ms);
  meter.attach(3, 8, 0ms);
  meter.read(1, {5ms, 10, 3, 4096, 100, true, true}, 10ms, 10ms);
  meter.read(2, {2ms, 20, 4, 1, 50, true, false}, 10ms, 10ms);
  CHECK(meter.domain(7).device_busy == 7ms);
  CHECK(meter.domain(7).calls == 30);
  CHECK(meter.domain(7).sync_calls == 7);
  CHECK(meter.domain(7).bytes == 4097);
  CHECK(meter.domain(7).memory_bytes == 150);
  CHECK(meter.domain(7).tasks == 2);
  CHECK(meter.domain(7).calls_waiting == 2);
  CHECK(meter.domain(7).on_device == 1);
  CHECK(meter.domain(8).device_busy == 0ms);

  meter.detach(1);
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
  UsageMeter meter;
  meter.read(1, busy(5ms), 10ms, 10ms);
  CHECK(meter.domains().empty());
  meter.attach(1, 7, 10ms);
  meter.read(1, busy(5ms), 10ms, 20ms);
  meter.read(1, busy(5ms), 10ms, 30ms);
  CHECK(meter.domain(7).device_busy == 5ms);
  meter.read(1, busy(9ms), 10ms, 40ms);
  CHECK(meter.domain(7).device_busy == 9ms);
}

TEST_CASE("usage: totals never decrease") {
  UsageMeter meter;
  meter.attach(1, 7, 0ms);
  meter.read(1, {8ms, 10, 10, 10, 0, false, false}, 10ms, 10ms);
  meter.read(1, {1ms, 2, 2, 2, 0, false, false}, 10ms, 20ms);
  CHECK(meter.domain(7).device_busy == 8ms);
  CHECK(meter.domain(7).calls == 10);
  meter.read(1, {4ms, 3, 3, 3, 0, false, false}, 10ms, 30ms);
  CHECK(meter.domain(7).device_busy == 11ms);
  CHECK(meter.domain(7).calls == 11);
  meter.read(1, busy(-5h), 10ms, 40ms);
  CHECK(meter.domain(7).device_busy == 11ms);
}

TEST_CASE("usage: no more device time than time that passed") {
  UsageMeter meter(tight());
  meter.attach(1, 7, 0ms);
  meter.read(1, busy(1h), 10ms, 10ms);
  CHECK(meter.domain(7).device_busy == 10ms);
  meter.read(1, busy(2h), 5ms, 15ms);
  CHECK(meter.domain(7).device_busy == 15ms);
  meter.read(1, busy(Nanos::max()), 5ms, 15ms); // no time passed
  CHECK(meter.domain(7).device_busy == 15ms);
}

TEST_CASE("usage: a kernel that ends after many readings counts in full") {
  UsageMeter meter(tight());
  meter.attach(1, 7, 0ms);
  for (int i = 1; i < 18; ++i)
    meter.read(1, busy(0ms), 1ms, i * 1ms);
  meter.read(1, busy(18ms), 1ms, 18ms);
  CHECK(meter.domain(7).device_busy == 18ms);
}

TEST_CASE("usage: no more device time than the gate was open, plus one kernel") {
  UsageMeter meter(tight());
  meter.attach(1, 7, 0ms);
  meter.read(1, busy(0ms), 0ms, 1s);
  meter.read(1, busy(500ms), 0ms, 2s); // the gate was never open
  CHECK(meter.domain(7).device_busy == 0ms);
  meter.read(1, busy(2s), 10ms, 3s);
  CHECK(meter.domain(7).device_busy == 30ms);
  meter.read(1, busy(3s), 0ms, 4s);
  CHECK(meter.domain(7).device_busy == 30ms);
}

TEST_CASE("usage: the overrun after the gate has closed counts, once") {
  UsageMeter meter(tight());
  meter.attach(1, 7, 0ms);
  meter.read(1, busy(10ms), 10ms, 10ms);
  meter.read(1, busy(22ms), 0ms, 22ms); // its kernel went on for 12 ms
  CHECK(meter.domain(7).device_busy == 22ms);
  meter.read(1, busy(60ms), 0ms, 60ms);
  CHECK(meter.domain(7).device_busy == 30ms);
}

TEST_CASE("usage: absurd claims saturate") {
  UsageMeter meter;
  for (const TaskId task : {1U, 2U, 3U}) {
    meter.attach(task, 7, 0ms);
    meter.read(task, {Nanos::max(), huge, huge, huge, huge, true, true}, 1s, 1s);
    meter.read(task, {Nanos::min(), 0, 0, 0, huge, true, true}, 1s, 2s);
    meter.read(task, {Nanos::max(), huge, huge, huge, huge, true, true}, Nanos::max(), Nanos::max() / 2);
  }
  CHECK(meter.domain(7).memory_bytes == huge);
  CHECK(meter.domain(7).device_busy == Nanos::max());
  CHECK(meter.domain(7).calls > 0);
  meter.read(1, busy(0ms), -1h, -1h); // a clock that goes back is ignored
  CHECK(meter.domain(7).calls > 0);
}

TEST_CASE("usage: claims faster than any machine are dropped") {
  UsageMeter meter;
  meter.attach(1, 7, 0ms);
  meter.read(1, {0ms, huge, huge, huge, 0, false, false}, 1ms, 1ms);
  CHECK(meter.domain(7).calls == 100'000);
  CHECK(meter.domain(7).sync_calls == 100'000);
  CHECK(meter.domain(7).bytes == 1'000'000'000);
}

TEST_CASE("usage: the rate of synchronous calls follows within some hundred milliseconds") {
  UsageMeter meter;
  meter.attach(1, 7, 0ms);
  TaskTotals totals;
  Time now = 0ms;
  for (int i = 0; i < 100; ++i) { // 2 calls a millisecond for a second
    totals.sync_calls += 20;
    meter.read(1, totals, 10ms, now += 10ms);
  }
  CHECK(meter.domain(7).sync_call_rate == Approx(2000).epsilon(0.01));
  meter.read(1, totals, 0ms, now += 100ms); // half of it is forgotten
  CHECK(meter.domain(7).sync_call_rate == Approx(1000).epsilon(0.01));
  meter.detach(1);
  CHECK(meter.domain(7).sync_call_rate == 0);
}

TEST_CASE("usage: a view is filled") {
  UsageMeter meter;
  meter.attach(1, 7, 0ms);
  meter.read(1, {5ms, 10, 3, 4096, 100, true, true}, 10ms, 10ms);
  DomainView view;
  view.id = 7;
  view.credits = 512;
  meter.fill(view);
  CHECK(view.credits == 512);
  CHECK(view.tasks == 1);
  CHECK(view.calls_waiting == 1);
  CHECK(view.on_device == 1);
  CHECK(view.context_established);
  CHECK(view.sync_call_rate > 0);
  CHECK(view.device_busy_total == 5ms);
  CHECK(view.memory_bytes == 100);
}

TEST_CASE("usage: latency is kept by domain, also of tasks that are gone") {
  UsageMeter meter;
  meter.attach(1, 7, 0ms);
  LatencyHistogram::Reading counters{};
  counters[52] = 10;
  meter.read_latency(1, counters);
  meter.read_latency(99, counters);
  CHECK(meter.latency(7).count() == 10);
  CHECK(meter.latency(8).count() == 0);
  meter.detach(1);
  CHECK(meter.latency(7).count() == 10);
  CHECK(meter.latency(7).p50_us() == Approx(9.216));
  meter.reset_latency();
  CHECK(meter.latency(7).count() == 0);
}
