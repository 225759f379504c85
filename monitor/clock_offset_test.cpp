// SPDX-License-Identifier: Apache-2.0
#include "monitor/clock_offset.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;
using namespace std::chrono_literals;

TEST_CASE("the least difference counts") {
  ClockOffset offset;
  offset.learn(Time{100us}, Time{5150us}); // learnt 50 us late
  offset.learn(Time{200us}, Time{5201us});
  offset.learn(Time{300us}, Time{5400us});
  CHECK(offset.value() == 5001us);
}

TEST_CASE("a clock that drifts is followed within two windows") {
  ClockOffset offset;
  for (Nanos theirs = 0s; theirs < 10s; theirs += 100ms) // ours gains 1 ms a second
    offset.learn(Time{theirs}, Time{theirs + 5s + theirs / 1000});
  CHECK(offset.value() >= 5s + 8ms - 200us);
  CHECK(offset.value() <= 5s + 10ms);
  offset.learn(Time{100s}, Time{105s + 100ms}); // after a long pause
  CHECK(offset.value() == 5s + 100ms);
}
