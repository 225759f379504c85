// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/cost.h"

#include "policies/residency/expected_copies.h"
#include "policies/residency/testing/machine.h"

using namespace pegasus::residency;
using namespace pegasus::residency::testing;
using namespace std::chrono_literals;

TEST_CASE("a slot is copied at each turn but those of its hottest domain that nobody came between") {
  CHECK(copies_of_slot({}) == 0);
  CHECK(copies_of_slot(std::vector{5.0}) == 0);
  CHECK(copies_of_slot(std::vector{5.0, 5.0, 5.0}) == 15);
  CHECK(copies_of_slot(std::vector{10.0, 1.0}) == Approx(2));
  CHECK(copies_of_slot(std::vector{1.0, 10.0, 5.0}) == Approx(16 - 10 * 0.9 * 0.5));
  CHECK(copies_of_slot(std::vector{0.0, 0.0}) == 0);
}

TEST_CASE("cost: with equal turns the overlay is the smallest, wherever its slots are") {
  Machine machine("cost", 10);
  // 15 slots in 10: an overlay of 3 takes 9 and leaves 6; with 2 there would be 11.
  Plan const& plan = machine.come(1, 5).come(2, 5).come(3, 5).at(0s);
  CHECK(plan.overlay == 3);
  CHECK(machine.plan(1).own + machine.plan(2).own + machine.plan(3).own == 7);
  (void)machine.rounds(1);
  CHECK(machine.rounds(10) == 80);
}

TEST_CASE("cost: the domains with the fewest turns share") {
  Machine machine("cost", 10);
  machine.come(1, 5, 60).come(2, 5, 1).come(3, 5, 1).come(4, 5, 1).at(0s);
  CHECK(machine.plan(1).own == 5);
  for (DomainId const cold : {2U, 3U, 4U})
    CHECK(machine.plan(cold).shared == 5);
}

TEST_CASE("cost: a domain that is not expected within the period shares before one with turns") {
  Machine machine("cost", 10);
  machine.come(1, 5, 60).come(2, 5, 50).come(3, 5, 70);
  machine.domain(3).next_turn = Time{21s};
  machine.at(0s);
  CHECK(machine.plan(1).own + machine.plan(2).own == 5);
  CHECK(machine.plan(3).shared == 5);
}

TEST_CASE("cost: domains are moved if that saves more copies in the period than it makes") {
  for (auto const& [period, moves] : {std::pair{1s, false}, {20s, true}}) {
    Machine machine("cost", 10, {.period = period});
    machine.come(1, 5, 1).come(2, 5, 2).come(3, 5, 4);
    CHECK_FALSE(machine.at(0s).arranged_at);
    // Each turn of 1 costs two copies of five granules, 10 a second.
    CHECK(machine.place(3) == machine.place(1));
    // 20 a second, or 18 in an overlay of 3.
    CHECK(machine.come(1, 5, 2).at(20s).arranged_at.has_value() == moves);
    CHECK(machine.plan(2).shared == (moves ? 3 : 0));
  }
}

TEST_CASE("cost: within the pause an arrival goes where it adds the fewest copies") {
  Machine machine("cost", 10);
  machine.come(1, 5, 60).come(2, 5, 1).come(3, 5, 1).come(4, 5, 1);
  CHECK(machine.at(0s).arranged_at == Time{0s});
  CHECK(machine.come(5, 5, 30).at(999ms).arranged_at == Time{0s});
  CHECK(machine.plan(1).own == 5);
  CHECK(machine.place(5) == machine.place(2));
}

TEST_CASE("cost: when a domain leaves slots of its own, the others use them after the pause") {
  Machine machine("cost", 10);
  machine.come(1, 5, 60).come(2, 5, 1).come(3, 5, 1).come(4, 5, 1).at(0s);
  CHECK(machine.leave(1).at(999ms).overlay == 5);
  CHECK(machine.at(1s).overlay == 3);
}
