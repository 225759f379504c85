// SPDX-License-Identifier: Apache-2.0
#include "policies/none.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("none: every domain runs, with calls or without") {
  None policy{{}};
  Timeline line(policy);
  line.at(0ms).expect(no_domain(), because(Reason::idle));
  line.domain(3).domain(7);
  line.at(1ms).expect(run(3, 7), because(Reason::arrival), until(1001ms), ask_again(1001ms));
  line.at(2ms).quiet(3).expect(run(3, 7), because(Reason::unchanged));
  line.domain(5);
  line.at(3ms).expect(run(3, 5, 7), because(Reason::arrival));
  line.at(4ms).leaves(3).expect(run(5, 7), because(Reason::departure));
  line.at(5ms).leaves(5).leaves(7).expect(no_domain(), because(Reason::idle));
}

TEST_CASE("none: the device's own arbitration favours long kernels") {
  None policy{{}};
  VirtualMachine machine(policy, {{1, {20ms}}, {2, {1ms}}});
  machine.run(5s);
  CHECK(machine.busy() == Approx(1));
  CHECK(machine.share(1) == Approx(20.0 / 21).margin(0.01));
  CHECK(machine.fairness_of_equals() < 0.1);
}
