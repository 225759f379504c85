// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/first_fit.h"

#include "policies/residency/testing/machine.h"

using namespace pegasus::residency;
using namespace pegasus::residency::testing;
using namespace std::chrono_literals;

TEST_CASE("first-fit: the paper's example, five slots of which a domain has four") {
  Machine machine("first-fit", 5);
  machine.come(1, 4).at(0s);
  CHECK(machine.place(1) == Place{{0, 4}});
  machine.come(2, 2).at(1s);
  CHECK(machine.place(2) == Place{{3, 2}});
}

TEST_CASE("first-fit: of runs with the same score the leftmost, also in a gap") {
  Machine machine("first-fit", 12);
  machine.come(1, 3).come(2, 3).come(3, 3).at(0s);
  machine.leave(2).come(4, 2).at(1s);
  CHECK(machine.place(4) == Place{{3, 2}});
  machine.come(5, 4).at(2s);
  CHECK(machine.place(5) == Place{{8, 4}});
}

TEST_CASE("first-fit: a run may end with the gap that it uses") {
  Machine machine("first-fit", 12);
  machine.come(1, 3).come(2, 3).come(3, 6).at(0s);
  machine.leave(2).come(4, 4).at(1s);
  CHECK(machine.place(4) == Place{{2, 4}});
}

TEST_CASE("when all slots are occupied, domains pile up at the left under first-fit, and spread under "
          "least-crowded") {
  for (std::string_view const policy : {"first-fit", "least-crowded"}) {
    Machine machine(policy, 6);
    machine.come(1, 3).come(2, 3).come(3, 3).come(4, 3).at(0s);
    CHECK(machine.place(3) == Place{{0, 3}});
    CHECK(machine.place(4) == Place{{policy == "first-fit" ? 0U : 3U, 3}});
  }
}

TEST_CASE("first-fit: nothing moves, whoever leaves, is idle or is busy") {
  Machine machine("first-fit", 5);
  machine.come(1, 4).come(2, 4).come(3, 3).at(0s);
  Place const before = machine.place(3);
  machine.leave(1).come(3, 3, 100, 1).domain(2).idle_since = Time{};
  machine.at(1h);
  CHECK(machine.place(3) == before);
  CHECK(machine.plan(2).standing == Standing::placed);
}
