// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/back_off.h"

#include <catch2/catch.hpp>

using namespace pegasus::scheduler;
using namespace std::chrono_literals;

TEST_CASE("back-off: as long as it kept others waiting, for each of them its credits' worth") {
  BackOff offences;
  offences.tolerate(2ms);
  CHECK(offences.until(1) == Time{});
  offences.overran(1, 2ms, 1, Time{1s}); // tolerated
  CHECK(offences.until(1) == Time{});
  offences.overran(1, 30ms, 1, Time{1s});
  CHECK(offences.until(1) == Time{1030ms});
  offences.overran(2, 30ms, 3, Time{1s});
  CHECK(offences.until(2) == Time{1090ms});
  offences.overran(2, 10ms, 1, Time{1010ms}); // ends before the other one
  CHECK(offences.until(2) == Time{1090ms});
  CHECK(offences.next_end() == Time{1030ms});
  CHECK_FALSE(offences.take_ended(Time{1029ms}));
  CHECK(offences.take_ended(Time{1050ms}) == DomainId{1});
  CHECK_FALSE(offences.take_ended(Time{1050ms}));
  CHECK(offences.next_end() == Time{1090ms});
  offences.forget(2);
  CHECK(offences.next_end() == Time::max());
}

TEST_CASE("back-off: twice as long with each task that was killed, a minute at most") {
  BackOff offences;
  offences.tolerate(2ms);
  Time now{1s};
  for (Nanos const length : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    offences.killed(1, 1s, 1, now);
    CHECK(offences.until(1) == now + length);
    now = offences.until(1) + 100ms;
  }
}

TEST_CASE("back-off: forgiven after as long a time without another") {
  BackOff offences;
  offences.tolerate(2ms);
  offences.killed(1, 1s, 1, Time{1s});
  offences.killed(1, 1s, 1, Time{3s});
  CHECK(offences.until(1) == Time{5s});
  offences.killed(1, 1s, 1, Time{8100ms}); // 2.1 s of other work, and the call that was killed
  CHECK(offences.until(1) == Time{9100ms});
}

TEST_CASE("back-off: the longest of times and the wildest of credits are bounded") {
  BackOff offences;
  offences.tolerate(2ms);
  offences.killed(1, Nanos::max(), 65535, Time{1s});
  CHECK(offences.until(1) == Time{61s});
  offences.killed(2, 1s, 0, Time{1s}); // no other domain waits any more
  CHECK(offences.until(2) <= Time{1s});
}
