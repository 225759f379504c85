// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/visitors.h"

#include <catch2/catch.hpp>
#include <vector>

using pegasus::daemon::Visitors;
using namespace std::chrono_literals;

namespace {

Visitors::Clock::time_point const start{1h};

} // namespace

TEST_CASE("a user has so many connections, and all together so many") {
  Visitors visitors({.per_user = 2, .connections = 3, .reply_interval = 0ns});
  auto one = visitors.enter(1, start), two = visitors.enter(1, start);
  REQUIRE((one && two));
  CHECK_FALSE(visitors.enter(1, start));
  auto const other = visitors.enter(2, start);
  REQUIRE(other);
  CHECK_FALSE(visitors.enter(3, start));
  one.reset();
  CHECK(visitors.enter(3, start)); // leaves at once
  CHECK(visitors.enter(1, start));
}

TEST_CASE("a user's answers come one after another, whatever the connections") {
  Visitors visitors({.per_user = 2, .connections = 3, .reply_interval = 20ms});
  auto one = visitors.enter(1, start), two = visitors.enter(1, start), other = visitors.enter(2, start);
  REQUIRE((one && two && other));
  CHECK(one->wait(start) == 0ns);
  CHECK(two->wait(start) == 20ms);
  CHECK(one->wait(start + 5ms) == 35ms);
  CHECK(other->wait(start) == 0ns);
  CHECK(one->wait(start + 100ms) == 0ns);
}

TEST_CASE("coming again does not make a user's next answer sooner") {
  Visitors visitors({.per_user = 2, .connections = 3, .reply_interval = 20ms});
  for (int i = 0; i < 3; ++i) {
    auto visit = visitors.enter(1, start);
    REQUIRE(visit);
    CHECK(visit->wait(start) == i * 20ms);
  }
  auto late = visitors.enter(1, start + 60ms);
  CHECK(late->wait(start + 60ms) == 0ns);
}
