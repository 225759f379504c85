// SPDX-License-Identifier: Apache-2.0
#include "policies/credit_hs.h"
#include "policies/credit_poll.h"
#include "policies/strict_co.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("credit-poll: a domain keeps its time slice without calls") {
  CreditPoll policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(30ms), because(Reason::arrival));
  line.at(5ms).quiet(1).expect(run(1), until(30ms), because(Reason::unchanged));
  line.at(30ms).expect(run(2), until(60ms), because(Reason::slice_end));
  line.at(40ms).leaves(2).expect(run(1), until(70ms), because(Reason::departure));
}

TEST_CASE("credit-hs: a domain without calls yields, and comes back at the tail") {
  CreditHybridSpin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3);
  line.at(0ms).expect(run(1), until(30ms));
  line.at(5ms).quiet(1).expect(run(2), until(35ms), because(Reason::yield));
  line.at(6ms).calls(1).expect(run(2), because(Reason::unchanged));
  line.at(10ms).quiet(2).expect(run(3), because(Reason::yield));
  line.at(11ms).quiet(3).expect(run(1));
  line.at(12ms).quiet(1).expect(no_domain(), because(Reason::idle));
}

TEST_CASE("credit: a domain that has burnt its credit waits for those that have some") {
  CreditHybridSpin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3).quiet(2).quiet(3);
  line.at(0ms).expect(run(1)); // -30, and 30 from the accounting: alone it gets all
  line.at(30ms).expect(run(1));
  line.at(50ms).calls(2).calls(3).expect(run(1)); // -20
  line.at(60ms).expect(run(2), until(90ms));      // -20 of 1, 10 of 2, 10 of 3
  line.at(90ms).expect(run(3));                   // -10, -10, 20
  line.at(120ms).expect(run(1));                  // 0, 0, 0
}

TEST_CASE("strict-co: a domain that comes onto a CPU interrupts, if no other has more credit") {
  StrictCoscheduling policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3);
  line.at(0ms).expect(run(1), until(30ms), ask_again(1ms));
  line.at(5ms).on_cpu(2).expect(run(2), until(35ms), because(Reason::arrival)); // 1 has burnt 5 ms
  line.at(7ms).expect(run(2)); // still on its CPU: no request
  line.at(10ms).off_cpu(2).expect(run(2));
  line.at(11ms).on_cpu(2).expect(run(2));
  line.at(12ms).on_cpu(1).expect(run(2)); // 3 has more
  line.at(13ms).on_cpu(3).expect(run(3));
  line.at(14ms).quiet(3).expect(run(1), because(Reason::yield)); // before 2 in the queue
}

TEST_CASE("credit: shares follow the credits where kernels are short, and the length of kernels where they "
          "are not") {
  struct Case {
    Nanos kernel;
    double least, most;
  };
  for (Case const& each : {Case{1ms, 0.95, 1}, Case{100ms, 0, 0.6}}) {
    CreditHybridSpin policy{{}};
    VirtualMachine machine(policy, {{1, {1ms}, 512}, {2, {each.kernel}, 512}, {3, {1ms}, 256}});
    machine.run(1s);
    machine.mark();
    machine.run(20s);
    INFO("kernels of " << each.kernel.count() << " ns");
    CHECK(machine.fairness_by_credits() >= each.least);
    CHECK(machine.fairness_by_credits() <= each.most);
    CHECK(machine.busy() > 0.99);
  }
}

TEST_CASE("credit: a domain that polls wastes what others could use") {
  std::vector<Guest> const programs{{1, {1ms, 4ms}}, {2, {1ms}}};
  CreditPoll polls{{}};
  VirtualMachine polling(polls, programs);
  polling.run(5s);
  CHECK(polling.busy() < 0.7);
  CreditHybridSpin yields{{}};
  VirtualMachine yielding(yields, programs);
  yielding.run(5s);
  CHECK(yielding.busy() > 0.99);
}
