// SPDX-License-Identifier: Apache-2.0
#include "policies/eevdf.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

#include <array>
#include <cmath>

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("eevdf: of the eligible domains the earliest deadline runs, for a slice") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1, 256).domain(2, 512);                                    // v, deadline
  line.at(0ms).expect(run(2), until(6ms), because(Reason::arrival));     // 0, 6 and 0, 3
  line.at(6ms).expect(run(1), until(12ms), because(Reason::slice_end));  // 0, 6 and 3, 6: V is 2
  line.at(12ms).expect(run(2), until(18ms), because(Reason::slice_end)); // 6, 12 and 3, 6: V is 4
  line.at(18ms).expect(run(2), until(24ms), because(Reason::slice_end)); // 6, 12 and 6, 9
}

TEST_CASE("eevdf: a slice is the domain's own, or as it is set; a tenth of a tick at least") {
  EarliestDeadline policy{{.slice = 3ms}};
  Timeline line(policy);
  line.domain(1).latency(1, 2ms).domain(2).domain(3).latency(3, 100us);
  line.at(0ms).expect(run(3), until(1ms));
  line.at(1ms).quiet(3).expect(run(1), until(3ms));
  line.at(3ms).expect(run(2), until(6ms));
  line.at(6ms).latency(2, 7ms).expect(run(1), until(8ms));
  line.at(8ms).expect(run(2), until(15ms));
  EarliestDeadline shortest{{.slice = 1us}};
  Timeline other(shortest);
  other.domain(1).domain(2);
  other.at(0ms).expect(run(1), until(1ms));
}

TEST_CASE("eevdf: a domain that has had more than its part is not eligible, however early its deadline") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1).latency(1, 1ms).domain(2);
  line.at(0ms).expect(run(1), until(1ms));                             // 0, 1 and 0, 6
  line.at(1ms).expect(run(2), until(7ms), because(Reason::slice_end)); // 1, 2 and 0, 6: V is 0.5
}

TEST_CASE("eevdf: a shorter slice interrupts a longer one as soon as it is eligible") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1).latency(1, 2ms).domain(2);
  line.at(0ms).expect(run(1), until(2ms));
  line.at(2ms).expect(run(2), until(8ms), ask_again(4ms)); // V is 1, and reaches 1's v of 2 in 2 ms
  line.at(4ms).expect(run(1), until(6ms), because(Reason::arrival));
  line.at(6ms).expect(run(2), until(10ms), ask_again(10ms)); // 2 keeps its deadline; 1 has the same now
}

TEST_CASE("eevdf: only a domain that woke up interrupts an equal slice, after a tenth of a tick") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3, 1024);
  line.at(0ms).expect(run(3), until(6ms));
  line.at(6ms).expect(run(1), until(12ms), ask_again(12ms)); // 3 will be eligible before, and early
  line.at(8ms).quiet(1).expect(run(2), because(Reason::yield));
  line.at(8200us).calls(1).expect(run(2), because(Reason::unchanged)); // 2, 6 and 0.2, 6: no earlier
  line.at(9ms).quiet(3).expect(run(2));
  line.at(10ms).calls(3).expect(run(3), because(Reason::arrival)); // 1.5, 3
}

TEST_CASE("eevdf: an overrun is charged in full") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(24ms).expect(run(2), until(30ms)); // a kernel of 24 ms: three more slices for the other domain
  CHECK(policy.debt(1) == 24ms);
  line.at(30ms).expect(run(2));
  line.at(36ms).expect(run(2));
  line.at(42ms).expect(run(2)); // 24 and 18
  CHECK(policy.debt(1) == 6ms);
  line.at(48ms).expect(run(1));
}

TEST_CASE("eevdf: one that overran is not in the average: the others share as if it were not there") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).latency(2, 2ms).domain(3);
  line.at(0ms).expect(run(2), until(2ms));
  line.at(2ms).expect(run(1));
  line.at(102ms).expect(run(3), ask_again(104ms)); // V of 2 and 3 is 1: 2 is not eligible
  line.at(104ms).expect(run(2), because(Reason::arrival));
}

TEST_CASE(
    "eevdf: a domain that wakes up is one slice behind at most, of its own and the policy's the shorter") {
  for (Nanos const own : {0ms, 2ms, 50ms}) {
    EarliestDeadline policy{{}};
    Timeline line(policy);
    line.domain(1).domain(2).latency(2, own).quiet(2);
    for (Nanos now = 0ms; now < 120ms; now += 6ms)
      line.at(now).expect(run(1));
    line.at(120ms).calls(2).expect(run(2));
    if (own == 2ms) line.at(122ms).expect(run(2)); // even now, with the earlier deadline
    line.at(own == 2ms ? 124ms : 126ms).expect(run(1));
  }
}

TEST_CASE("eevdf: leaving in debt and coming back gains nothing") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(29ms).expect(run(2));
  line.at(30ms).no_tasks(1).expect(run(2), because(Reason::unchanged));
  line.at(36ms).calls(1).expect(run(2));
  line.at(42ms).expect(run(2));
}

TEST_CASE("eevdf: an open gate without use of the device is not free") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(6ms).used_extra(1, -6ms).expect(run(2)); // 3 and 0
  line.at(12ms).expect(run(1));                    // 3 and 6
}

TEST_CASE("eevdf: a change of credits leaves a debt what it is") {
  EarliestDeadline policy{{}};
  Timeline line(policy);
  line.domain(1, 16).domain(2, 16);
  line.at(0ms).expect(run(1));
  line.at(50ms).expect(run(2));
  CHECK(policy.debt(1) == 50ms);
  line.credits(1, 4096).at(50ms).expect(run(2));
  CHECK(policy.debt(1) == 50ms);
}

TEST_CASE("eevdf: shares follow the credits, whatever the kernels' lengths and gaps") {
  for (Nanos const kernel : {200us, 3000us, 25000us}) {
    EarliestDeadline policy{{}};
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

TEST_CASE("eevdf: shares follow the credits, whatever the slices") {
  for (std::array const slices : {std::array{1ms, 100ms, 0ms}, {100ms, 1ms, 0ms}, {2ms, 2ms, 50ms}}) {
    EarliestDeadline policy{{}};
    VirtualMachine machine(policy, {{.id = 1, .demand = {1ms}, .credits = 300, .latency_slice = slices[0]},
                                    {.id = 2, .demand = {700us}, .credits = 500, .latency_slice = slices[1]},
                                    {.id = 3, .demand = {1ms}, .credits = 1024, .latency_slice = slices[2]}});
    machine.run(1s);
    machine.mark();
    machine.run(20s);
    INFO(slices[0].count() << " " << slices[1].count() << " " << slices[2].count() << " ms");
    CHECK(machine.fairness_by_credits() >= 0.97);
  }
}

namespace {

struct Outcome {
  Nanos wait;
  double share;
};

// The outcome of a domain with such a slice beside three greedy ones.
Outcome beside_greedy(Nanos slice, Demand demand) {
  EarliestDeadline policy{{}};
  VirtualMachine machine(
      policy,
      {{.id = 1, .demand = demand, .latency_slice = slice}, {2, {500us}}, {3, {500us}}, {4, {500us}}});
  machine.run(1s);
  machine.mark();
  machine.run(10s);
  return {machine.longest_wait(1), machine.share(1)};
}

} // namespace

TEST_CASE("eevdf: with a short slice a domain waits less than with a long one, for the same share") {
  for (Nanos const think : {0ms, 20ms}) { // always with calls, and waking now and then
    Outcome const with_short = beside_greedy(1ms, {500us, think});
    Outcome const with_usual = beside_greedy(0ms, {500us, think});
    Outcome const with_long = beside_greedy(40ms, {500us, think});
    INFO("think " << think.count() << " ns, longest waits " << with_short.wait.count() << ", "
                  << with_usual.wait.count() << " and " << with_long.wait.count() << " ns");
    CHECK(with_short.wait <= 4500us); // its deadline: the slice over its quarter; and one kernel
    CHECK(with_short.wait <= with_usual.wait);
    CHECK(with_short.wait < with_long.wait / 2);
    if (think > 0ms) CHECK(with_short.share >= 0.95 * with_usual.share);
    if (think == 0ms) CHECK(with_short.share == Approx(0.25).margin(0.005));
    if (think == 0ms) CHECK(with_long.share == Approx(0.25).margin(0.005));
  }
}

TEST_CASE("eevdf: no domain is ahead or behind by more than the longest slice and kernel") {
  EarliestDeadline policy{{}};
  VirtualMachine machine(policy, {{.id = 1, .demand = {500us}, .latency_slice = 1ms},
                                  {.id = 2, .demand = {3ms}, .credits = 512},
                                  {.id = 3, .demand = {1ms}, .latency_slice = 20ms}});
  for (int i = 0; i < 1000; ++i) {
    machine.run(7300us);
    double const all = static_cast<double>(machine.now().time_since_epoch().count());
    for (DomainId const id : {1u, 2u, 3u}) {
      double const part = id == 2 ? 0.5 : 0.25;
      double const lag = all * part - static_cast<double>(machine.received(id).count());
      REQUIRE(std::abs(lag) <= 23e6);
    }
  }
}

TEST_CASE("eevdf: use of an idle device makes no debt") {
  EarliestDeadline policy{{}};
  VirtualMachine machine(policy, {{1, {1ms, 9ms}}, {2, {1ms}}});
  machine.set_active(2, false);
  machine.run(60s);
  machine.set_active(2, true);
  machine.mark();
  machine.run(1s);
  CHECK(machine.longest_wait(1) <= 2 * (30ms + 1ms));
  CHECK(machine.share(1) > 0.05);
}

TEST_CASE("eevdf: nor does use by a domain alone, nor by two that alternate") {
  for (Demand const demand : {Demand{5ms, 100us}, Demand{1ms, 1ms}, Demand{50ms}}) {
    EarliestDeadline policy{{}};
    VirtualMachine machine(policy, {{1, demand}, {2, demand}, {3, {1ms}}});
    machine.set_active(3, false);
    if (demand.think == 100us) machine.set_active(2, false);
    machine.run(30s);
    machine.set_active(3, true);
    machine.mark();
    machine.run(1s);
    CHECK(machine.longest_wait(1) <= 3 * (30ms + demand.kernel));
  }
}

TEST_CASE(
    "eevdf: a domain that is held while no other has calls keeps the device, and is asked about again") {
  EarliestDeadline policy({.hold = 2ms});
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).quiet(2).expect(run(1));
  line.at(1ms).quiet(1).expect(no_domain());
  line.at(2ms).calls(1).expect(run(1));
  line.at(3ms).quiet(1).expect(run(1), ask_again(5ms));
  line.at(5ms).used_extra(1, -2ms).expect(no_domain());
}
