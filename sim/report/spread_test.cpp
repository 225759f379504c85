// SPDX-License-Identifier: Apache-2.0
#include "sim/report/spread.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;

TEST_CASE("quartiles of known data are those of R and NumPy, whatever the order") {
  CHECK(spread_of({5, 1, 4, 2, 3}) == Spread{1, 2, 3, 4, 5});
  CHECK(spread_of({4, 3, 2, 1}) == Spread{1, 1.75, 2.5, 3.25, 4});
  CHECK(spread_of({15, 7, 41, 36, 40, 39}) == Spread{7, 20.25, 37.5, 39.75, 41});
  CHECK(spread_of({4, 3, 2, 1}).h_spread() == 1.5);
}

TEST_CASE("one value is all quartiles; without values they are 0") {
  CHECK(spread_of({2.5}) == Spread{2.5, 2.5, 2.5, 2.5, 2.5});
  CHECK(spread_of({}) == Spread{});
}
