// SPDX-License-Identifier: Apache-2.0
#include "monitor/shares.h"

#include <catch2/catch.hpp>

#include <array>

using namespace pegasus::monitor;
using namespace std::chrono_literals;

TEST_CASE("shares are parts of what was received") {
  std::array const domains{Received{3s, 1}, Received{1s, 1}};
  CHECK(shares(domains) == std::vector{0.75, 0.25});
  CHECK(shares(std::array{Received{}, Received{}}) == std::vector{0.0, 0.0});
  CHECK(shares({}).empty());
}

TEST_CASE("the min-max ratio goes by weights") {
  CHECK(min_max_ratio(std::array{Received{3s, 300}, Received{1s, 100}}) == Approx(1));
  CHECK(min_max_ratio(std::array{Received{3s, 1}, Received{1s, 1}}) == Approx(1.0 / 3));
}

TEST_CASE("utilization is a part of the span") {
  CHECK(utilization(1s, 4s) == Approx(0.25));
  CHECK(utilization(5s, 4s) == Approx(1));
  CHECK(utilization(1s, 0s) == 0);
}
