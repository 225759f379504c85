// SPDX-License-Identifier: Apache-2.0
#include "policies/slaf.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("slaf: without SLOs it is accc") {
  SlaFeedback policy{{}};
  VirtualMachine machine(policy, {{1, {1ms}, 1024}, {2, {1ms}, 512}, {3, {1ms}, 256}, {4, {1ms}, 512}});
  machine.run(4s);
  CHECK(machine.fairness_by_credits() >= 0.98);
}

TEST_CASE("slaf: an SLO of a half holds beside three greedy domains of equal credits") {
  for (Nanos const kernel : {100us, 1000us, 5000us}) {
    SlaFeedback policy{{}};
    VirtualMachine machine(policy, {{1, {kernel}, 256, 0.5}, {2, {5ms}}, {3, {1ms}}, {4, {200us}}});
    machine.run(2s);
    machine.mark();
    machine.run(4s);
    INFO("kernels of " << kernel.count() << " ns");
    CHECK(machine.share(1) >= 0.495);
    CHECK(machine.share(1) <= 0.56); // and not more than needed
    CHECK(machine.share(2) == Approx(machine.share(3)).margin(0.01));
  }
}

TEST_CASE("slaf: several SLOs hold as long as they sum up to less than 1") {
  SlaFeedback policy{{}};
  VirtualMachine machine(policy, {{1, {1ms}, 64, 0.6}, {2, {1ms}, 256, 0.3}, {3, {1ms}, 1024}});
  machine.run(15s); // the first is almost a second behind when its time slices are long enough
  machine.mark();
  machine.run(4s);
  CHECK(machine.share(1) >= 0.58);
  CHECK(machine.share(2) >= 0.28);
  CHECK(machine.share(3) > 0.05);
}

TEST_CASE("slaf: a domain that asks for nothing is not behind") {
  SlaFeedback policy{{}};
  VirtualMachine machine(policy, {{1, {1ms}, 256, 0.9}, {2, {1ms}}});
  machine.set_active(1, false);
  machine.run(10s);
  machine.set_active(1, true);
  machine.mark();
  machine.run(50ms); // no arrears of ten seconds to collect
  CHECK(machine.received(2) >= 10ms);
}

TEST_CASE("slaf: SLOs that cannot all be met leave something for every domain") {
  SlaFeedback policy{{}};
  VirtualMachine machine(policy, {{1, {1ms}, 256, 0.9}, {2, {1ms}, 256, 0.9}, {3, {1ms}, 256}});
  machine.run(2s);
  machine.mark();
  machine.run(8s);
  CHECK(machine.share(1) == Approx(machine.share(2)).margin(0.02));
  CHECK(machine.share(3) > 0.002);
}

TEST_CASE("slaf: a tick behind is an extra tick in the next time slice, until it is made good") {
  SlaFeedback policy{{}};
  Timeline line(policy);
  line.domain(1).slo(1, 0.5).domain(2).domain(3);
  line.at(0ms).expect(run(1), until(10ms));  // received 10 of 5
  line.at(10ms).expect(run(2), until(20ms)); // 5 behind at 20 ms
  line.at(20ms).expect(run(3), until(30ms)); // 10 behind at 30 ms
  line.at(30ms).expect(run(1), until(50ms), because(Reason::slice_end));
}
