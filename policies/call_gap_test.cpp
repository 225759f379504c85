// SPDX-License-Identifier: Apache-2.0
#include "policies/call_gap.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace std::chrono_literals;

namespace {

Time at(Nanos time) { return Time{time}; }

} // namespace

TEST_CASE("a domain whose gaps are not known keeps nothing") {
  CallGap const gap(at(1ms));
  CHECK(gap.hold(10ms) == Nanos{0});
  CHECK_FALSE(gap.held(at(1ms), 10ms));
}

TEST_CASE("a domain is waited for twice its mean gap, if it is expected back within the limit") {
  CallGap gap(at(0ms));
  gap.ended(at(2ms), 0ms);
  CHECK(gap.hold(10ms) == 4ms);
  CHECK(gap.hold(3ms) == 3ms);
  CHECK(gap.hold(1999us) == Nanos{0});
  gap.has_calls(at(5ms));
  CHECK(gap.held(at(8ms), 10ms));
  CHECK_FALSE(gap.held(at(9ms), 10ms));
  CHECK(gap.held_until(10ms) == at(9ms));
}

TEST_CASE("what was used in a gap is not part of it, and the mean follows slowly") {
  CallGap gap(at(0ms));
  gap.ended(at(3ms), 1ms);
  CHECK(gap.hold(10ms) == 4ms);
  gap.has_calls(at(4ms));
  gap.ended(at(10ms), 0ms);
  CHECK(gap.hold(10ms) == 6ms); // 2 ms, and a quarter of the difference to 6 ms
}

TEST_CASE("a long absence does not count for more than a second") {
  CallGap gap(at(0ms));
  gap.ended(at(3600s), 0ms);
  CHECK(gap.hold(max_latency_slice) == max_latency_slice);
}
