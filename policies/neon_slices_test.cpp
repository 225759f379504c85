// SPDX-License-Identifier: Apache-2.0
#include "policies/timeslice_disengaged.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("timeslice: each in turn, with calls or without") {
  TimesliceDisengaged policy{{}};
  Timeline line(policy);
  line.at(0ms).expect(no_domain(), because(Reason::idle));
  line.domain(1, 1024).domain(2).domain(3).quiet(2);
  line.at(0ms).expect(run(1), until(30ms), because(Reason::arrival));
  line.at(10ms).quiet(1).expect(run(1), until(30ms), because(Reason::unchanged));
  line.at(30ms).expect(run(2), until(60ms), because(Reason::slice_end));
  line.at(60ms).expect(run(3), until(90ms));
  line.at(70ms).leaves(3).expect(run(1), until(100ms), because(Reason::departure));
}

TEST_CASE("timeslice: what a domain used after its time slices costs it others") {
  TimesliceDisengaged policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(30ms).expect(run(2));
  line.at(50ms).used_extra(1, 20ms).expect(run(2)); // its kernel went on for 20 ms: not a whole time slice
  line.at(60ms).expect(run(1));
  line.at(90ms).expect(run(2));
  line.at(100ms).used_extra(1, 15ms).expect(run(2)); // 35 ms
  line.at(120ms).expect(run(2), because(Reason::slice_end));
  line.at(150ms).expect(run(1));
}

TEST_CASE("timeslice: long kernels gain nothing, and what a domain leaves is lost") {
  for (Nanos const kernel : {1ms, 20ms, 100ms}) {
    TimesliceDisengaged policy{{}};
    VirtualMachine machine(policy, {{1, {1ms}}, {2, {kernel}}, {3, {1ms}}});
    machine.run(20s);
    INFO("kernels of " << kernel.count() << " ns");
    CHECK(machine.fairness_of_equals() >= 0.94);
  }
  TimesliceDisengaged policy{{}};
  VirtualMachine machine(policy, {{1, {1ms, 9ms}}, {2, {1ms}}});
  machine.run(5s);
  CHECK(machine.busy() == Approx(0.55).margin(0.05));
}
