// SPDX-License-Identifier: Apache-2.0
#include "monitor/clock_offset.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;
using namespace std::chrono_literals;

TEST_CASE("the least difference counts") {
  ClockOffset offset;
  offset.learn(100us, 5150us); // learnt 50 us late
  offset.learn(200us, 5201us);
  offset.learn(300us, 5400us);
  CHECK(offset.value() == 5001us);
}

TEST_CASE("a clock that drifts is followed within two windows") {
  ClockOffset offset;
  for (Nanos theirs = 0s; theirs < 10s; theirs += 100ms) // ours gains 1 ms a second
    offset.learn(theirs, theirs + 5s + theirs / 1000);
  CHECK(offset.value() >= 5s + 8ms - 200us);
  CHECK(offset.value() <= 5s + 10ms);
  offset.learn(100s, 105s + 100ms); // after a long pause
  CHECK(offset.value() == 5s + 100ms);
}
