// SPDX-License-Identifier: Apache-2.0
#include "sim/report/units.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;

TEST_CASE("a time has the unit in which it is a small number") {
  CHECK(time_text(0) == "0 us");
  CHECK(time_text(0.1) == "0.1 us");
  CHECK(time_text(12) == "12 us");
  CHECK(time_text(999.4) == "999 us");
  CHECK(time_text(999.6) == "1 ms");
  CHECK(time_text(1180) == "1.2 ms");
  CHECK(time_text(9960) == "10 ms");
  CHECK(time_text(200'009) == "200 ms");
  CHECK(time_text(3'400'000) == "3.4 s");
  CHECK(time_text(4'000'000'000) == "4000 s");
}
