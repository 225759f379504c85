// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/size.h"

#include "policies/residency/testing/machine.h"

using namespace pegasus::residency;
using namespace pegasus::residency::testing;
using namespace std::chrono_literals;

TEST_CASE("size: the paper's example, domains of 4, 4, 3 and 2 slots in 5") {
  Machine machine("size", 5);
  Plan const& plan = machine.come(1, 2).come(2, 4).come(3, 3).come(4, 4).at(0s);
  CHECK(machine.place(2) == Place{{0, 4}});
  CHECK(machine.place(4) == Place{{1, 4}});
  CHECK(machine.place(3) == Place{{1, 3}});
  CHECK(machine.place(1) == Place{{1, 2}});
  CHECK(plan.overlay == 3);
  CHECK(machine.plan(2).own == 1);
  CHECK(machine.plan(2).shared == 3);
}

TEST_CASE("size: an arrival no longer than the shared slots goes there, and nothing moves") {
  Machine machine("size", 5);
  machine.come(1, 4).come(2, 4).at(0s);
  machine.come(3, 3).at(10s);
  CHECK(machine.place(1) == Place{{0, 4}});
  CHECK(machine.place(2) == Place{{1, 4}});
  CHECK(machine.place(3) == Place{{1, 3}});
}

TEST_CASE("size: a longer arrival moves the others if fewer slots are shared then") {
  Machine machine("size", 12);
  machine.come(1, 4).come(2, 5).come(3, 4).at(0s);
  CHECK(machine.at(0s).overlay == 1);
  Plan const& plan = machine.come(4, 6).at(10s);
  CHECK(plan.arranged_at == Time{10s});
  CHECK(machine.place(4) == Place{{0, 6}});
  CHECK(machine.place(2) == Place{{6, 5}});
  CHECK(plan.overlay == 4);
}

TEST_CASE("size: when a domain leaves slots of its own, the others use them") {
  Machine machine("size", 10);
  machine.come(1, 6).come(2, 5).come(3, 4).at(0s);
  machine.leave(1);
  Plan const& plan = machine.at(5s);
  CHECK(plan.overlay == 0);
  CHECK(plan.arranged_at == Time{5s});
}

TEST_CASE("size: of a domain that is idle for 20 s the memory leaves, and it is placed when it is back") {
  Machine machine("size", 10);
  machine.come(1, 6).come(2, 5).come(3, 4).domain(1).idle_since = Time{1s};
  CHECK(machine.at(20s).overlay > 0);
  CHECK(machine.at(21s).overlay == 0);
  CHECK(machine.plan(1).standing == Standing::out);
  CHECK(machine.place(1).empty());
  machine.domain(1).idle_since = std::nullopt;
  CHECK(machine.at(22s).overlay > 0);
  CHECK(machine.plan(1).standing == Standing::placed);
}

TEST_CASE("size: domains are moved no more often than once a second") {
  Machine machine("size", 10);
  CHECK(machine.come(1, 4).come(2, 5).come(3, 6).at(0s).arranged_at == Time{0s});
  machine.leave(3);
  CHECK(machine.at(999ms).overlay > 0);
  CHECK(machine.at(1s).overlay == 0);
}
