// SPDX-License-Identifier: Apache-2.0
#include "policies/dfq.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("dfq: a lone domain is not sampled") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy);
  line.at(0ms).expect(no_domain(), because(Reason::idle));
  line.domain(1);
  line.at(1ms).expect(run(1), until(25ms), ask_again(6ms), because(Reason::arrival));
  line.at(25ms).expect(run(1), until(50ms), because(Reason::share));
}

TEST_CASE("dfq: each domain alone for half a tick, then all together for five times as long") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3).quiet(3);
  line.at(0ms).expect(run(1, 2, 3), until(50ms), because(Reason::arrival));
  line.at(20ms).expect(run(1, 2, 3), until(50ms), because(Reason::unchanged));
  line.at(50ms).expect(run(1), until(55ms), because(Reason::share));
  line.at(55ms).expect(run(2), until(60ms), because(Reason::sample));
  line.at(60ms).expect(run(1, 2, 3), until(110ms), because(Reason::sample)); // 3 has no calls: no sample
}

TEST_CASE("dfq: a domain too far ahead stays blocked until the others have caught up") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).in_debt(1, 40ms);
  line.at(0ms).expect(run(2), until(50ms)); // 40 and its half of 50 are more than 50
  line.at(50ms).expect(run(1));             // 40, 50
  line.at(55ms).expect(run(2));             // 45, 50
  line.at(60ms).expect(run(1, 2));          // 45, 55: less than half of the free run
}

TEST_CASE("dfq: credits are weights") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1, 512).domain(2, 256).in_debt(1, 40ms).in_debt(2, 20ms);
  line.at(0ms).expect(run(1, 2)); // the same for their weights
}

TEST_CASE("dfq: a blocked domain does not wait for those that have gone quiet") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).in_debt(1, 100ms);
  line.at(0ms).expect(run(2), until(50ms));
  line.at(10ms).quiet(2).expect(run(2), ask_again(15ms));
  line.at(15ms).used_extra(2, -5ms).expect(run(1, 2), because(Reason::yield));
}

TEST_CASE("dfq: a domain that is behind and computes between two calls stays behind") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).in_debt(2, 100ms);
  line.at(0ms).expect(run(1), until(50ms));
  line.at(50ms).quiet(1).expect(run(1), ask_again(55ms)); // 50, 100
  line.at(52ms).used_extra(1, -1ms).expect(run(1));       // it came back, unseen
  line.at(54ms).calls(1).expect(run(1), until(100ms));
}

TEST_CASE("dfq: a domain that came back unseen, and waits again, is expected for all that it did") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).in_debt(2, 100ms);
  line.at(0ms).expect(run(1));
  line.at(5ms).used_extra(1, -4ms).expect(run(1));
  line.at(10ms).used_extra(1, -4ms).quiet(1).expect(run(1), ask_again(12ms)); // it has worked for 2 ms
  line.at(15ms).used_extra(1, -4ms).calls(1).expect(run(1));
  line.at(20ms).used_extra(1, -4ms).quiet(1).expect(run(1), ask_again(24ms));
}

TEST_CASE("dfq: a sample ends when its domain has no calls, or leaves") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3);
  line.at(0ms).expect(run(1, 2, 3), until(75ms));
  line.at(75ms).expect(run(1), until(80ms));
  line.at(76ms).quiet(1).expect(run(2), until(81ms), because(Reason::yield));
  line.at(77ms).leaves(2).expect(run(3), until(82ms), because(Reason::departure));
  line.at(82ms).expect(run(1, 3), because(Reason::sample));
}

TEST_CASE("dfq: time that several contexts used at once is divided") {
  DisengagedFairQueuing policy{{}};
  Timeline line(policy); // both use the device all the time of the free run
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1, 2));
  line.at(50ms).used_extra(1, 50ms).expect(run(1));
  CHECK((policy.debt(1) - policy.debt(2)) / 1us == 16'666);
}

TEST_CASE("dfq: shares follow the credits, whatever the lengths of the kernels") {
  for (Nanos const kernel : {200us, 3000us, 25000us}) {
    DisengagedFairQueuing policy{{}};
    VirtualMachine machine(policy,
                           {{1, {1ms}, 1024}, {2, {kernel}, 512}, {3, {1ms}, 256}, {4, {kernel}, 512}});
    machine.run(2s);
    machine.mark();
    machine.run(20s);
    INFO("kernels of " << kernel.count() << " ns");
    CHECK(machine.fairness_by_credits() >= 0.95);
    CHECK(machine.busy() > 0.99);
  }
}

TEST_CASE("dfq: what a domain leaves free, the others use") {
  DisengagedFairQueuing policy{{}};
  VirtualMachine machine(policy, {{1, {1ms, 9ms}}, {2, {1ms}}});
  machine.run(5s);
  CHECK(machine.busy() > 0.99);
  CHECK(machine.share(1) > 0.08); // of the 0.1 that it asks for
}

TEST_CASE("dfq: a domain that needs less than half of the device does not keep another from the rest") {
  for (Nanos const think : {2ms, 4ms, 6ms, 20ms}) {
    DisengagedFairQueuing policy{{}};
    VirtualMachine machine(policy, {{1, {1ms, think}}, {2, {1ms}}});
    machine.run(5s);
    INFO("computes for " << think.count() << " ns");
    CHECK(machine.busy() > 0.99);
  }
}

TEST_CASE("dfq: a domain that is blocked for its debt is not sampled either") {
  struct Case {
    Nanos kernel;
    std::uint32_t credits;
  };
  for (Case const& each : {Case{1ms, 1}, Case{1ms, 65535}, Case{100ms, 256}, Case{300ms, 256}}) {
    DisengagedFairQueuing policy{{}};
    VirtualMachine machine(policy, {{1, {each.kernel}, each.credits}, {2, {1ms}, 256}});
    machine.run(200s);
    INFO("kernels of " << each.kernel.count() << " ns, " << each.credits << " credits");
    CHECK(machine.share(1) == Approx(each.credits / (each.credits + 256.0)).margin(0.01));
  }
}
