// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/client_limits.h"

#include <catch2/catch.hpp>
#include <vector>

using pegasus::daemon::ClientLimits;
using namespace std::chrono_literals;

namespace {

ClientLimits::Clock::time_point const start{1h};

} // namespace

TEST_CASE("a user, and all users together, have a limited number of connections") {
  ClientLimits clients({.per_user = 2, .connections = 3, .reply_interval = 0ns});
  auto one = clients.admit(1, start), two = clients.admit(1, start);
  REQUIRE((one && two));
  CHECK_FALSE(clients.admit(1, start));
  auto const other = clients.admit(2, start);
  REQUIRE(other);
  CHECK_FALSE(clients.admit(3, start));
  one.reset();
  CHECK(clients.admit(3, start)); // leaves at once
  CHECK(clients.admit(1, start));
}

TEST_CASE("the answers to one user keep their interval over all its connections") {
  ClientLimits clients({.per_user = 2, .connections = 3, .reply_interval = 20ms});
  auto one = clients.admit(1, start), two = clients.admit(1, start), other = clients.admit(2, start);
  REQUIRE((one && two && other));
  CHECK(one->wait(start) == 0ns);
  CHECK(two->wait(start) == 20ms);
  CHECK(one->wait(start + 5ms) == 35ms);
  CHECK(other->wait(start) == 0ns);
  CHECK(one->wait(start + 100ms) == 0ns);
}

TEST_CASE("reconnecting does not bring the next answer forward") {
  ClientLimits clients({.per_user = 2, .connections = 3, .reply_interval = 20ms});
  for (int i = 0; i < 3; ++i) {
    auto connection = clients.admit(1, start);
    REQUIRE(connection);
    CHECK(connection->wait(start) == i * 20ms);
  }
  auto late = clients.admit(1, start + 60ms);
  CHECK(late->wait(start + 60ms) == 0ns);
}
