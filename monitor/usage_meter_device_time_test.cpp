// SPDX-License-Identifier: Apache-2.0
// When device time counts, and whose it is.
#include "monitor/testing/meter.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;
using namespace pegasus::monitor::testing;
using namespace std::chrono_literals;

TEST_CASE("usage: a kernel counts as it passes, and in full when it ends") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  for (int i = 2; i < 18; ++i) {
    meter.read(1, executing(Time{2ms}), Time{i * 1ms});
    CHECK(meter.domain(7).device_busy == (i - 2) * 1ms);
    CHECK(meter.domain(7).booked == 0ms);
  }
  meter.read(1, busy(16ms), Time{18ms});
  CHECK(meter.domain(7).device_busy == 16ms);
  CHECK(meter.domain(7).booked == 16ms);
  meter.read(1, executing(Time{19ms}, 16ms), Time{20ms});
  CHECK(meter.domain(7).device_busy == 17ms);
  meter.read(1, busy(17500us), Time{21ms}); // it ended at 20.5 ms
  CHECK(meter.domain(7).device_busy == 17500us);
}

TEST_CASE("usage: a queue whose work is claimed bit by bit is charged what it claims") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  for (int i = 1; i <= 10; ++i)
    meter.read(1, executing(Time{}, i * 900us), Time{i * 1ms}); // the device had gaps
  CHECK(meter.domain(7).booked == 9ms);
  CHECK(meter.domain(7).device_busy == 10ms); // so far
  meter.read(1, busy(9ms), Time{10ms});
  meter.read(1, executing(Time{11ms}, 9ms), Time{12ms});
  CHECK(meter.domain(7).device_busy == 10ms); // not more
}

TEST_CASE("usage: a task that dies within its work is charged for it") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, executing(Time{3ms}, 2ms), Time{700ms});
  meter.detach(1, Time{700ms});
  CHECK(meter.domain(7).booked == 699ms);
  CHECK(meter.domain(7).device_busy == 699ms);
}

TEST_CASE("usage: a task that was told to stop is charged until it has, whatever it claims") {
  Meter meter;
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, busy(4ms), Time{10ms});
  meter.gate_closed(1, Time{10ms});
  SECTION("it claims nothing") {
    meter.read(1, busy(4ms), Time{310ms});
    CHECK(meter.domain(7).device_busy == 4ms); // it may have waited for others
    meter.drained(1, Time{310ms});
  }
  SECTION("it claims its kernel, which began before") {
    meter.read(1, busy(308ms), Time{310ms});
    meter.drained(1, Time{310ms});
    CHECK(meter.domain(7).device_busy == 308ms);
    return;
  }
  SECTION("it claims less than it held") {
    meter.read(1, busy(10ms), Time{310ms});
    meter.drained(1, Time{310ms});
  }
  SECTION("it dies") {
    meter.read(1, executing(Time{8ms}, 4ms), Time{308ms});
    meter.detach(1, Time{308ms});
    CHECK(meter.domain(7).device_busy == 304ms);
    return;
  }
  CHECK(meter.domain(7).booked == 304ms);
}

TEST_CASE("usage: a task that was told to stop is not charged for another's work that it waited for") {
  Meter meter;
  for (TaskId const task : {1U, 2U}) {
    meter.attach(task, task == TaskId{1U} ? 1 : 2, Time{});
    meter.gate_opened(task, Time{});
  }
  meter.read(2, executing(Time{0ms}), Time{10ms}); // task 1's kernel waits behind this one
  meter.gate_closed(1, Time{10ms});
  meter.read(2, busy(14ms), Time{20ms});
  meter.read(1, busy(4ms), Time{20ms});
  meter.drained(1, Time{20ms});
  CHECK(meter.domain(1).device_busy == 6ms); // from 10 to 20 ms, but for 4 ms
  CHECK(meter.domain(2).device_busy == 14ms);
}

TEST_CASE("usage: what was charged for holding the device cannot be claimed again") {
  Meter meter(tight());
  meter.attach(1, 7, Time{});
  meter.gate_opened(1, Time{});
  meter.read(1, busy(0ms), Time{10ms});
  meter.gate_closed(1, Time{10ms});
  meter.read(1, busy(0ms), Time{40ms});
  meter.drained(1, Time{40ms});
  CHECK(meter.domain(7).device_busy == 30ms);
  meter.read(1, busy(30ms), Time{40ms});
  CHECK(meter.domain(7).device_busy == 30ms);
}
