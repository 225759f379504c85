// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/static.h"

#include "policies/residency/testing/machine.h"

using namespace pegasus::residency;
using namespace pegasus::residency::testing;
using namespace std::chrono_literals;

TEST_CASE("static: domains keep all they hold, in whatever slots are free") {
  Machine machine("static", 10);
  machine.come(1, 4).come(2, 2).come(3, 4).at(0s);
  CHECK(machine.rounds(5) == 10);
  machine.leave(1).leave(3).come(4, 7).at(1s);
  CHECK(machine.place(2) == Place{{4, 2}});
  CHECK(machine.place(4) == Place{{0, 4}, {6, 3}});
  CHECK(machine.plan(4).own == 7);
}

TEST_CASE("static: a domain that does not fit is refused until another leaves") {
  Machine machine("static", 10);
  machine.come(1, 8).come(2, 3).come(3, 2).at(0s);
  CHECK(machine.plan(2).standing == Standing::refused);
  CHECK(machine.plan(3).standing == Standing::placed);
  machine.leave(1).at(1s);
  CHECK(machine.plan(2).own == 3);
  CHECK(machine.plan(2).standing == Standing::placed);
}

TEST_CASE("static: of domains that another policy let share, the first keeps its place") {
  Machine machine("static", 10);
  machine.come(1, 6).come(2, 6);
  machine.domain(1).place = {{0, 6}};
  machine.domain(2).place = {{4, 6}};
  machine.at(0s);
  CHECK(machine.place(1) == Place{{0, 6}});
  CHECK(machine.plan(2).standing == Standing::refused);
}
