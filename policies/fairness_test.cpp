// SPDX-License-Identifier: Apache-2.0
#include "policies/fairness.h"

#include <catch2/catch.hpp>

#include <array>

using pegasus::policies::min_max_ratio;

TEST_CASE("the min-max ratio is 1 when every domain has its share") {
  CHECK(min_max_ratio(std::array{4.0, 2.0, 1.0}, std::array{1024.0, 512.0, 256.0}) == Approx(1));
  CHECK(min_max_ratio(std::array{3.0, 3.0}, std::array{1.0, 1.0}) == Approx(1));
}

TEST_CASE("the min-max ratio compares the worst with the best served") {
  CHECK(min_max_ratio(std::array{1.0, 2.0, 1.5}, std::array{1.0, 1.0, 1.0}) == Approx(0.5));
  CHECK(min_max_ratio(std::array{1.0, 1.0}, std::array{3.0, 1.0}) == Approx(1.0 / 3));
  CHECK(min_max_ratio(std::array{0.0, 1.0}, std::array{1.0, 1.0}) == 0);
}

TEST_CASE("the min-max ratio leaves out domains without a target share, and needs two to be unfair") {
  CHECK(min_max_ratio(std::array{5.0, 1.0, 1.0}, std::array{0.0, 1.0, 1.0}) == Approx(1));
  CHECK(min_max_ratio(std::array{5.0}, std::array{1.0}) == Approx(1));
  CHECK(min_max_ratio(std::array{0.0, 0.0}, std::array{1.0, 1.0}) == Approx(1));
  CHECK(min_max_ratio({}, {}) == Approx(1));
}
