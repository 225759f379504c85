// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/utilization.h"

#include "policies/residency/testing/machine.h"

using namespace pegasus::residency;
using namespace pegasus::residency::testing;
using namespace std::chrono_literals;

TEST_CASE("utilization: the busiest stand side by side, the others share the right end") {
  Machine machine("utilization", 10);
  machine.come(1, 3, 1, 0.1).come(2, 4, 1, 0.5).come(3, 3, 1, 0.9).come(4, 5, 1, 0.2).at(0s);
  CHECK(machine.place(3) == Place{{0, 3}});
  CHECK(machine.place(2) == Place{{3, 4}});
  CHECK(machine.place(4) == Place{{5, 5}});
  CHECK(machine.place(1) == Place{{7, 3}});
}

TEST_CASE("utilization: domains are placed anew every 20 s, whatever comes and leaves") {
  Machine machine("utilization", 8);
  machine.come(1, 4, 1, 0.9).come(2, 4, 1, 0.5).come(3, 4, 1, 0.1).at(0s);
  machine.come(1, 4, 1, 0.1).come(3, 4, 1, 0.9).leave(2).come(4, 3).at(19s);
  CHECK(machine.place(1) == Place{{0, 4}});
  CHECK(machine.place(3) == Place{{4, 4}});
  CHECK(machine.place(4) == Place{{5, 3}});
  Plan const& plan = machine.at(20s);
  CHECK(machine.place(3) == Place{{0, 4}});
  CHECK(machine.place(1) == Place{{4, 4}});
  CHECK(plan.arranged_at == Time{20s});
}

TEST_CASE("utilization: the period is a tunable") {
  Machine machine("utilization", 8, {.period = 2s});
  machine.come(1, 4, 1, 0.9).come(2, 4, 1, 0.5).at(0s);
  machine.come(2, 4, 1, 1).at(1999ms);
  CHECK(machine.place(1) == Place{{0, 4}});
  machine.at(2s);
  CHECK(machine.place(2) == Place{{0, 4}});
}
