// SPDX-License-Identifier: Apache-2.0
#include "policies/deficit_round_robin.h"

#include "policies/accc.h"
#include "policies/rr.h"
#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

// Tested through round robin, which only adds equal time slices of 10 ms. The minimum granularity is 1 ms.

TEST_CASE("drr: no domain has work") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.at(0ms).expect(no_domain(), because(Reason::idle), ask_again(1s));
  line.domain(1).domain(2);
  line.at(5ms).quiet(1).quiet(2).expect(no_domain(), because(Reason::idle));
  line.at(7ms).calls(2).expect(run(2), until(17ms), because(Reason::arrival));
  line.at(9ms).quiet(2).expect(no_domain(), because(Reason::idle));
}

TEST_CASE("drr: alone, a domain is renewed without a gap") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1);
  line.at(0ms).expect(run(1), until(10ms), because(Reason::arrival));
  line.at(10ms).expect(run(1), until(20ms), because(Reason::slice_end));
  line.at(20ms).expect(run(1), until(30ms), because(Reason::slice_end));
}

TEST_CASE("drr: a departure ends the time slice, and newcomers have a part of theirs at once") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(2ms).leaves(1).expect(run(2), until(12ms), because(Reason::departure));
  line.domain(1).domain(9);
  line.at(3ms).expect(run(1), until(4ms), because(Reason::arrival));
  line.at(4ms).expect(run(9), until(5ms), because(Reason::slice_end));
  line.at(5ms).expect(run(2), until(14ms));
  line.at(14ms).expect(run(1), until(23ms));
  line.at(23ms).expect(run(2), until(33ms));
  line.at(33ms).expect(run(9), until(42ms));
}

TEST_CASE("drr: who leaves and comes back gains nothing") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.domain(3);
  line.at(1ms).expect(run(3), until(2ms));
  line.at(2ms).no_tasks(3).quiet(3).expect(run(1), until(11ms));
  CHECK(policy.debt(3) == 1ms); // it stays in the View
  line.domain(3).calls(3);
  line.at(4ms).expect(run(1), until(11ms));
}

TEST_CASE("drr: an overrun is taken off the next time slice") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  // Its last kernel ran until 14 ms, and the clock of the other domain's time slice stood still.
  line.at(14ms).drained().used_extra(1, 4ms).used_extra(2, -4ms).expect(run(2), until(24ms),
                                                                        because(Reason::unchanged));
  line.at(24ms).expect(run(1), until(30ms), because(Reason::slice_end));
}

TEST_CASE("drr: a debt of more than a time slice is passed over until it is repaid") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  line.at(25ms).drained().used_extra(1, 15ms).used_extra(2, -15ms).expect(run(2), until(35ms));
  line.at(35ms).expect(run(2), until(45ms), because(Reason::slice_end));
  line.at(45ms).expect(run(1), until(50ms), because(Reason::slice_end));
}

TEST_CASE("drr: a debtor runs when no other domain has work, and gives way at once") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  line.at(50ms).drained().used_extra(1, 40ms).used_extra(2, -40ms).expect(run(2), until(60ms));
  line.at(52ms).quiet(2).expect(run(1), until(62ms), because(Reason::yield));
  line.at(52500us).calls(2).expect(run(2), until(60500us), because(Reason::arrival));
}

TEST_CASE(
    "drr: a domain that is back after a short think resumes its time slice when the other has had a minimum "
    "granularity") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(2ms).quiet(1).expect(run(2), until(12ms), because(Reason::yield));
  line.at(2100us).calls(1).expect(run(2), until(12ms), ask_again(3ms), because(Reason::unchanged));
  line.at(3ms).expect(run(1), until(11ms), because(Reason::arrival));        // 8 ms left
  line.at(5ms).quiet(1).expect(run(2), until(14ms), because(Reason::yield)); // 9 ms left
}

TEST_CASE("drr: a domain that was idle when its time slice came may take it later in the round, once") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).quiet(2).expect(run(1), until(10ms));
  line.at(10ms).expect(run(1), until(20ms));
  line.at(5s).expect(run(1), because(Reason::slice_end));
  line.at(5001ms).calls(2).expect(run(2), until(5011ms),
                                  because(Reason::arrival)); // one time slice, not five seconds
  line.at(5011ms).expect(run(1), because(Reason::slice_end));
}

TEST_CASE("drr: held, a domain that is expected back keeps its time slice for twice its mean gap") {
  RoundRobin policy{{.hold = 5ms}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(2ms).quiet(1).expect(run(2), because(Reason::yield)); // nothing is known of its gaps
  line.at(2500us).calls(1).expect(run(2), ask_again(3ms));
  line.at(3ms).expect(run(1), until(11ms), because(Reason::arrival));
  line.at(4ms).quiet(1).expect(run(1), ask_again(5ms), because(Reason::unchanged));
  line.at(4500us).calls(1).used_extra(1, -500us).expect(run(1), until(11ms), ask_again(11ms));
  line.at(5ms).quiet(1).expect(run(1), until(11ms), ask_again(6ms));
  line.at(6ms).used_extra(1, -1ms).expect(run(2), because(Reason::yield));
}

TEST_CASE("drr: held, a call that came and went between two samples counts as one") {
  RoundRobin policy{{.hold = 5ms}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).quiet(1).expect(run(2));
  line.at(2ms).calls(1).expect(run(1), because(Reason::arrival));
  line.at(3ms).quiet(1).expect(run(1), ask_again(7ms));
  line.at(5ms).used_extra(1, -1ms).expect(run(1), ask_again(8500us)); // gaps of 2 ms and 1 ms
}

TEST_CASE("drr: a domain that is expected back late, or runs in debt, is not held") {
  RoundRobin policy{{.hold = 5ms}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).quiet(1).expect(run(2));
  line.at(6ms).calls(1).expect(run(1));
  line.at(7ms).quiet(1).expect(run(2), because(Reason::yield));
}

TEST_CASE("drr: held domains change places seldom, and keep their shares") {
  for (Nanos const hold : {0ms, 1ms}) {
    AccCredit policy{{.hold = hold}};
    VirtualMachine machine(policy, {{1, {500us, 200us}, 512}, {2, {500us, 200us}, 256}});
    machine.run(5s);
    INFO("hold " << hold.count() << " ns, " << machine.switches() << " switches, share " << machine.share(1)
                 << ", busy " << machine.busy());
    CHECK((machine.switches() < 1'000) == (hold > 0ms));
    if (hold > 0ms) CHECK(machine.share(1) == Approx(2.0 / 3).margin(0.02));
    CHECK(machine.busy() > (hold > 0ms ? 0.7 : 0.9));
  }
}

TEST_CASE("drr: unused time of a time slice is carried along, one time slice at most") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).used_extra(1, -2ms).expect(run(2), until(20ms), because(Reason::slice_end)); // used 8 of 10
  line.at(20ms).expect(run(1), until(32ms));
  line.at(32ms).used_extra(1, -12ms).expect(run(2), until(42ms)); // the gate was open, nothing was used
  line.at(42ms).expect(run(1), until(62ms));
  line.at(62ms).used_extra(1, -20ms).expect(run(2), until(72ms));
  line.at(72ms).expect(run(1), until(92ms)); // not 30 ms
}

TEST_CASE("drr: a debt outlives the tasks that made it, and is paid by the others' time slices") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  line.at(50ms).drained().used_extra(1, 40ms).used_extra(2, -40ms).expect(run(2),
                                                                          until(60ms)); // 40 ms in debt
  CHECK(policy.debt(1) == 40ms);
  line.at(55ms).no_tasks(1).expect(run(2), until(60ms));
  line.at(57ms).calls(1).expect(run(2), until(60ms));
  for (Nanos const end : {60ms, 70ms, 80ms, 90ms})
    line.at(end).expect(run(2), until(end + 10ms));
  line.at(100ms).expect(run(1), until(110ms)); // five visits
}

TEST_CASE("drr: a debt of another policy's is taken over, and an idle device pays it") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).in_debt(1, 25ms).quiet(1).quiet(2);
  line.at(0ms).expect(no_domain());
  CHECK(policy.debt(1) == 25ms);
  line.at(10ms).expect(no_domain());
  CHECK(policy.debt(1) == 15ms);
  line.at(10ms).calls(1).calls(2).expect(run(2), until(20ms));
  line.at(20ms).expect(run(1), until(25ms)); // after two visits
  line.at(25ms).expect(run(2));
}

TEST_CASE("drr: totals that decrease or leap do no lasting harm") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).used_extra(1, -1h).expect(run(2), until(20ms)); // unseen use: gate time ends its time slice
  line.at(20ms).used_extra(1, 10000h).expect(run(2));
  // The largest debt is 10 s, so domain 1 runs again after 10 s of the other's time slices.
  bool back = false;
  for (Nanos now = 30ms; now < 11s && !back; now += 10ms) {
    line.at(now).expect();
    back = line.last().run == std::vector<DomainId>{1};
  }
  CHECK(back);
}

TEST_CASE("drr: kernels twenty times as long get no more") {
  for (bool const late : {false, true}) {
    INFO("totals are " << (late ? "late" : "current"));
    RoundRobin policy{{}};
    VirtualMachine machine(policy, {{1, {20ms}}, {2, {1ms}}, {3, {1ms}}}, {.late_totals = late});
    machine.run(5s);
    CHECK(machine.fairness_of_equals() >= 0.97);
    CHECK(machine.busy() == Approx(1));
  }
}

TEST_CASE("drr: synchronous calls with short thinks keep their share beside a greedy neighbour") {
  RoundRobin policy{{}};
  VirtualMachine machine(policy, {{1, {1ms, 100us}}, {2, {1ms}}});
  machine.run(5s);
  CHECK(machine.share(1) >= 0.45);
  CHECK(machine.busy() == Approx(1));
}

TEST_CASE("drr: the hybrid spin keeps a short thinker's time slice together") {
  RoundRobin policy{{}};
  VirtualMachine machine(policy, {{1, {1ms, 100us}}, {2, {1ms}}}, {.spin = 200us});
  machine.run(5s);
  CHECK(machine.fairness_of_equals() >= 0.97);
  CHECK(machine.switches() < 1200);
}

TEST_CASE("drr: many sleepers do not push a greedy domain out, nor it them") {
  RoundRobin policy{{}};
  std::vector<Guest> guests{{1, {1ms}}};
  for (DomainId id = 2; id <= 9; ++id)
    guests.push_back({id, {1ms, 9ms}}); // want 80 % together at most
  VirtualMachine machine(policy, guests);
  machine.run(5s);
  CHECK(machine.share(1) >= 1.0 / 9);
  for (DomainId id = 2; id <= 9; ++id)
    CHECK(machine.share(id) >= 0.06);
  CHECK(machine.busy() == Approx(1));
}

TEST_CASE("drr: idleness earns nothing") {
  RoundRobin policy{{}};
  VirtualMachine machine(policy, {{1, {1ms}}, {2, {1ms}}});
  machine.run(100ms);
  machine.set_active(1, false);
  machine.run(10s);
  machine.set_active(1, true);
  machine.mark();
  machine.run(1s);
  CHECK(machine.received(1) - machine.received(2) <= 21ms);
  CHECK(machine.received(1) - machine.received(2) >= -21ms);
}

TEST_CASE("drr: time that no other domain wanted makes no debt") {
  RoundRobin policy{{}};
  VirtualMachine machine(policy, {{1, {20ms}}, {2, {1ms}}});
  machine.set_active(2, false);
  machine.run(10s);
  machine.set_active(2, true);
  machine.mark();
  machine.run(1s);
  CHECK(machine.fairness_of_equals() >= 0.9);
}

TEST_CASE("drr: kernels begun on overdraft make a debt of a time slice at most") {
  RoundRobin policy{{}};
  VirtualMachine machine(policy, {{1, {20ms}}, {2, {1ms, 100us}}});
  machine.run(5s); // 1 fills each pause of 2 with kernels that 2 then waits for
  CHECK(machine.busy() == Approx(1));
  machine.set_demand(2, {1ms});
  machine.mark();
  machine.run(1s);
  CHECK(machine.share(1) >= 0.45);
}
