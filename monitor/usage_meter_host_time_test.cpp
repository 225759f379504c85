// SPDX-License-Identifier: Apache-2.0
// The CPU time of copies, images and output.
#include "monitor/testing/meter.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;
using namespace pegasus::monitor::testing;
using namespace std::chrono_literals;

TEST_CASE("usage: host time counts beside device time, no more of it than passed, and not twice in a drain") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  TaskTotals totals = busy(3ms);
  totals.host_busy = 6ms;
  meter.read(1, totals, Time{10ms});
  CHECK(meter.domain(7).host_busy == 6ms);
  CHECK(meter.domain(7).device_busy == 3ms);
  CHECK(meter.used(1) == 9ms);
  meter.gate_closed(1, Time{10ms});
  totals.host_busy = 10ms;
  meter.read(1, totals, Time{15ms});
  meter.drained(1, Time{15ms});
  CHECK(meter.used(1) == 14ms);
  totals.host_busy = 1h;
  meter.read(1, totals, Time{20ms});
  CHECK(meter.domain(7).host_busy == 20ms);
}

TEST_CASE("usage: a long call on the host that is claimed at its end counts in full") {
  Meter meter;
  meter.attach(1, 7, Time{});
  TaskTotals totals;
  for (Time now{10ms}; now < Time{5s}; now += 10ms)
    meter.read(1, totals, now);
  totals.host_busy = 4s;
  meter.read(1, totals, Time{5s});
  CHECK(meter.domain(7).host_busy == 4s);
  totals.host_busy = 9s;
  meter.read(1, totals, Time{6s});
  CHECK(meter.domain(7).host_busy == 6s);
}

TEST_CASE("usage: host time is charged with the weight that it had then") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  TaskTotals totals;
  totals.host_busy = 4ms;
  meter.read(1, totals, Time{10ms});
  meter.set_host_weight(0.5);
  totals.host_busy = 8ms;
  meter.read(1, totals, Time{20ms});
  CHECK(meter.domain(7).host_busy == 8ms);
  CHECK(meter.domain(7).host_charged == 6ms);
  CHECK(meter.used(1) == 6ms);
}
