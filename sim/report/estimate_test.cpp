// SPDX-License-Identifier: Apache-2.0
#include "sim/report/estimate.h"

#include <array>
#include <catch2/catch.hpp>

using namespace pegasus::sim;

TEST_CASE("Student's t falls with the degrees of freedom, to that of its table below") {
  CHECK(student_t(1) == 12.706);
  CHECK(student_t(9) == 2.262);
  CHECK(student_t(30) == 2.042);
  CHECK(student_t(39) == 2.042);
  CHECK(student_t(40) == 2.021);
  CHECK(student_t(5000) == 1.984);
  for (std::size_t degrees = 2; degrees < 200; ++degrees)
    CHECK(student_t(degrees) <= student_t(degrees - 1));
}

TEST_CASE("an interval of 95 % is that of a closed form") {
  // Deviation sqrt(2.5), of the mean sqrt(0.5), times 2.776.
  auto const estimate = estimate_of(std::array{1.0, 2.0, 3.0, 4.0, 5.0});
  REQUIRE(estimate);
  CHECK(estimate->mean == Approx(3));
  CHECK(estimate->interval.value() == Approx(2.776 * 0.70710678));
}

TEST_CASE("equal values have an interval of 0, one value has none, and no value is no estimate") {
  CHECK(estimate_of(std::array{0.1, 0.1, 0.1})->interval == 0.0);
  CHECK(estimate_of(std::array{0.1, 0.1, 0.1})->mean == 0.1);
  CHECK(estimate_of(std::array{7.0})->mean == 7);
  CHECK_FALSE(estimate_of(std::array{7.0})->interval);
  CHECK_FALSE(estimate_of({}));
}
