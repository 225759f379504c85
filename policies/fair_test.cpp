// SPDX-License-Identifier: Apache-2.0
#include "policies/fair.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("fair: the least start tag runs for a slice; the tag grows by device time over weight") {
  FairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1, 256).domain(2, 512);
  line.at(0ms).expect(run(1), until(6ms), because(Reason::arrival));     // tags 0 and 0
  line.at(6ms).expect(run(2), until(12ms), because(Reason::slice_end));  // 6 and 0
  line.at(12ms).expect(run(2), until(18ms), because(Reason::slice_end)); // 6 and 3
  line.at(18ms).expect(run(1), until(24ms), because(Reason::slice_end)); // 6 and 6
}

TEST_CASE("fair: a slice is as long as it is set, a tenth of a tick at least") {
  FairQueuing policy{{.slice = 2ms}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(2ms));
  line.at(2ms).expect(run(2), until(4ms));
  FairQueuing shortest{{.slice = 1us}};
  Timeline other(shortest);
  other.domain(1).domain(2);
  other.at(0ms).expect(run(1), until(1ms));
}

TEST_CASE("fair: an overrun is charged in full") {
  FairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(24ms).expect(run(2), until(30ms)); // a kernel of 24 ms: three more slices for the other domain
  line.at(30ms).expect(run(2));
  line.at(36ms).expect(run(2));
  line.at(42ms).expect(run(2)); // 24 and 18
  line.at(49ms).expect(run(1)); // 24 and 25
}

TEST_CASE("fair: a domain that wakes up begins at the virtual time, one slice behind at most") {
  FairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).quiet(2);
  for (Nanos now = 0ms; now < 120ms; now += 6ms)
    line.at(now).expect(run(1));
  line.at(120ms).calls(2).expect(run(2), until(126ms));
  line.at(126ms).expect(run(1)); // it has caught up by its one slice
  line.at(132ms).expect(run(2));
}

TEST_CASE("fair: a domain without calls yields; back, and behind, it interrupts after a tenth of a tick") {
  FairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(1ms).quiet(1).expect(run(2), until(7ms), because(Reason::yield));
  line.at(1500us).calls(1).expect(run(2), because(Reason::unchanged)); // 1 and 0.5: not behind
  line.at(2500us).expect(run(1), because(Reason::arrival));            // 1 and 1.5
}

TEST_CASE("fair: leaving in debt and coming back gains nothing") {
  FairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(29ms).expect(run(2));
  line.at(30ms).no_tasks(1).expect(run(2), because(Reason::unchanged));
  line.at(36ms).calls(1).expect(run(2));
  line.at(42ms).expect(run(2));
}

TEST_CASE("fair: the vCPU of an interactive domain is woken when its time slice begins, and only then") {
  FairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).sync_calls(1, 1500).sync_calls(2, 900);
  line.at(0ms).expect(run(1), wakes(1));
  line.at(1ms).expect(run(1), wakes());
  line.at(6ms).expect(run(2), wakes());
  line.at(12ms).expect(run(1), wakes(1));
}

TEST_CASE("fair: an open gate without use of the device is not free") {
  FairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(6ms).used_extra(1, -6ms).expect(run(2)); // 3 and 0
  line.at(12ms).expect(run(1));                    // 3 and 6
}

TEST_CASE("fair: shares follow the credits, whatever the kernels' lengths and gaps") {
  for (Nanos const kernel : {200us, 3000us, 25000us}) {
    FairQueuing policy{{}};
    VirtualMachine machine(
        policy, {{1, {1ms}, 1024}, {2, {kernel}, 512}, {3, {1ms, 300us}, 256}, {4, {kernel}, 512}});
    machine.run(1s);
    machine.mark();
    machine.run(10s);
    INFO("kernels of " << kernel.count() << " ns");
    CHECK(machine.fairness_by_credits() >= 0.97);
    CHECK(machine.busy() > 0.99);
  }
}

TEST_CASE("fair: use of an idle device makes no debt") {
  FairQueuing policy{{}};
  VirtualMachine machine(policy, {{1, {1ms, 9ms}}, {2, {1ms}}});
  machine.set_active(2, false);
  machine.run(60s);
  machine.set_active(2, true);
  machine.mark();
  machine.run(1s);
  CHECK(machine.longest_wait(1) <= 2 * (30ms + 1ms));
  CHECK(machine.share(1) > 0.05);
}

TEST_CASE("fair: nor does use by a domain alone, nor by two that alternate") {
  for (Demand const demand : {Demand{5ms, 100us}, Demand{1ms, 1ms}}) {
    FairQueuing policy{{}};
    VirtualMachine machine(policy, {{1, demand}, {2, demand}, {3, {1ms}}});
    machine.set_active(3, false);
    if (demand.think < 1ms) machine.set_active(2, false);
    machine.run(30s);
    machine.set_active(3, true);
    machine.mark();
    machine.run(1s);
    CHECK(machine.longest_wait(1) <= 3 * (30ms + 5ms));
  }
}
