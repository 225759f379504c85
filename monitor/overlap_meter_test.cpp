// SPDX-License-Identifier: Apache-2.0
#include "monitor/overlap_meter.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;

TEST_CASE("the part of a domain's device time that it was on a CPU") {
  OverlapMeter meter;
  CHECK(meter.of(1).samples == 0);
  for (int i = 0; i < 3; ++i)
    meter.sample(1, true);
  meter.sample(1, false);
  meter.sample(2, false);
  CHECK(meter.of(1).samples == 4);
  CHECK(meter.of(1).on_cpu == 3);
  CHECK(meter.of(2).on_cpu == 0);
  meter.forget(2);
  CHECK(meter.of(2).samples == 0);
  meter.reset();
  CHECK(meter.of(1).samples == 0);
}
