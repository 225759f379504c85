// SPDX-License-Identifier: Apache-2.0
// A guest may have taken over the worker that reports: what is believed of it.
#include "monitor/testing/meter.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>

using namespace pegasus::monitor;
using namespace pegasus::monitor::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

} // namespace

TEST_CASE("usage: no more device time than time that passed") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, busy(1h), Time{10ms});
  CHECK(meter.domain(7).device_busy == 10ms);
  meter.read(1, busy(2h), Time{15ms});
  CHECK(meter.domain(7).device_busy == 15ms);
  meter.read(1, busy(Nanos::max()), Time{15ms}); // no time has passed
  CHECK(meter.domain(7).device_busy == 15ms);
}

TEST_CASE("usage: no more device time than the gate was open, plus one kernel") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.read(1, busy(0ms), Time{1s});
  meter.read(1, busy(500ms), Time{2s}); // the gate was never open
  CHECK(meter.domain(7).device_busy == 0ms);
  meter.gate_opened(1, Time{2s});
  meter.read(1, busy(2s), Time{2010ms});
  CHECK(meter.domain(7).device_busy == 30ms);
  meter.gate_closed(1, Time{2010ms});
  meter.drained(1, Time{2010ms});
  meter.read(1, busy(3s), Time{4s});
  CHECK(meter.domain(7).device_busy == 30ms);
}

TEST_CASE("usage: absurd claims saturate") {
  Meter meter;
  for (TaskId const task : {1U, 2U, 3U}) {
    meter.attach(task, 7, Time{});
    meter.gate_opened(task, Time{});
    meter.read(task, {Nanos::max(), 0ms, huge, huge, huge, huge, true, Time::min()}, Time{1s});
    meter.read(task, {Nanos::min(), 0ms, 0, 0, 0, huge, true, Time::max()}, Time{2s});
    meter.read(task, {Nanos::max(), 0ms, huge, huge, huge, huge, true, Time{}}, Time{Nanos::max() / 2});
  }
  CHECK(meter.domain(7).memory_bytes == 3ULL << 48);
  CHECK(meter.domain(7).device_busy > 1h);
  CHECK(meter.domain(7).calls > 0);
  meter.read(1, busy(0ms), Time{-1h}); // a clock that runs backwards is ignored
  CHECK(meter.domain(7).calls > 0);
}

TEST_CASE("usage: claims faster than any machine are dropped") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.read(1, {0ms, 0ms, huge, huge, huge, 0, false}, Time{1ms});
  CHECK(meter.domain(7).calls == 100'000);
  CHECK(meter.domain(7).sync_calls == 100'000);
  CHECK(meter.domain(7).bytes == 1'000'000'000);
}
