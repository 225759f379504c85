// SPDX-License-Identifier: Apache-2.0
#include "policies/anticipation.h"

#include "policies/eevdf.h"
#include "policies/fair.h"
#include "policies/testing/view_changes.h"
#include "policies/testing/virtual_machine.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

namespace {

constexpr Tunables automatic{.hold = automatic_hold};

// Domains 1, 2, ... of equal credits, at positions 0, 1, ..., looked at now and then.
class Samples {
public:
  explicit Samples(std::size_t count, Tunables const& tunables = automatic, Nanos switch_cost = Nanos{0})
      : anticipation_(tunables), switch_cost_(switch_cost), domains_(count) {
    for (DomainId id = 1; DomainView & domain : domains_) {
      domain.id = id++;
      domain.tasks = domain.calls_waiting = 1;
    }
    look(0ms);
  }
  Samples& look(Nanos at) {
    anticipation_.update({.now = Time{at},
                          .domains = domains_,
                          .changed = changes_.take(domains_),
                          .switch_cost = switch_cost_});
    return *this;
  }
  Samples& calls(std::uint32_t position) { return waiting(position, 1); }
  Samples& quiet(std::uint32_t position, Nanos used) {
    domains_[position].device_busy_total += used;
    ++domains_[position].sync_calls_total;
    return waiting(position, 0);
  }
  Samples& uses(std::uint32_t position, Nanos time) {
    domains_[position].device_busy_total += time;
    return *this;
  }
  Samples& barred(std::uint32_t position, bool barred) {
    domains_[position].barred = barred;
    return *this;
  }
  // A gap of that length, from `at` on, and a call of 1 ms before, which begins at once.
  Samples& gap(std::uint32_t position, Nanos at, Nanos length) {
    look(at - 1ms).quiet(position, 1ms).look(at);
    return calls(position).look(at + length);
  }
  Anticipation& operator*() { return anticipation_; }

private:
  Samples& waiting(std::uint32_t position, std::uint32_t calls) {
    domains_[position].calls_waiting = calls;
    return *this;
  }

  Anticipation anticipation_;
  Nanos switch_cost_;
  std::vector<DomainView> domains_;
  ViewChanges changes_;
};

// Two domains alone on a device: the first computes for 0.1 ms between calls of 0.3 ms, the second has calls of
// 10 ms all the time. Returns how much of what it does alone each has done.
template <class P> std::pair<double, double> progress(Tunables const& tunables) {
  P policy(tunables);
  VirtualMachine machine(policy, {{1, {300us, 100us}}, {2, {10ms}}});
  machine.run(20s);
  auto const of = [&](DomainId id) {
    return std::chrono::duration<double>(machine.received(id)).count() / 20;
  };
  return {of(1) * 4 / 3, of(2)};
}

} // namespace

TEST_CASE("a domain that lags is waited for, one that has had its part is not") {
  Samples samples(2);
  samples.gap(0, 1ms, 400us); // it had the device, and computed: it does not lag
  samples.look(2400us).quiet(0, 1ms).look(2400us);
  CHECK_FALSE((*samples).held(0));
  samples.calls(0).look(2800us);
  samples.look(22800us).quiet(0, 1ms).look(22800us); // it waited for 19 ms
  CHECK((*samples).held(0));
  CHECK((*samples).next_sample(0) == Time{22800us + 800us}); // twice its mean gap
  samples.look(23600us);
  CHECK_FALSE((*samples).held(0));
}

TEST_CASE("a pause is a domain's own time: it does not lag for it") {
  Samples samples(2);
  samples.look(1ms).quiet(0, 1ms).look(1ms);
  samples.calls(0).look(501ms);
  samples.look(502ms).quiet(0, 1ms).look(502ms);
  CHECK_FALSE((*samples).held(0));
}

TEST_CASE("a gap that takes longer while others use the device is no more progress than one that does not") {
  Samples samples(2);
  Nanos at = 1ms;
  samples.gap(0, at, 400us);
  for (int step = 0; step < 20; ++step, at += 9ms) {
    samples.look(at + 4ms).quiet(0, 1ms).look(at + 5ms); // it had waited for 3 ms
    samples.uses(1, 3ms).look(at + 8ms);
    samples.uses(1, 1ms).calls(0).look(at + 9ms);
  }
  samples.look(at + 4ms).quiet(0, 1ms).look(at + 5ms);
  CHECK((*samples).held(0));
}

TEST_CASE("a domain is waited for once in a hundred ticks to learn how long its gaps are alone") {
  Samples samples(2);
  int waited_for = 0;
  for (Nanos at = 1ms; at < 3s; at += 5ms) { // it does not lag
    samples.look(at).quiet(0, 1ms).look(at + 1ms);
    if ((*samples).held(0)) ++waited_for;
    samples.uses(1, 3ms).calls(0).look(at + 5ms); // others use the device even so: nothing is learnt
  }
  CHECK(waited_for == 3); // not in the first gap: no length is known then
}

TEST_CASE("gaps shorter than a change of the owner there and back are waited for in any case") {
  Samples samples(2, automatic, 1ms);
  samples.gap(0, 1ms, 1500us).look(3500us).quiet(0, 1ms).look(3500us);
  CHECK((*samples).held(0));
  Samples longer(2, automatic, 1ms);
  longer.gap(0, 1ms, 2500us).look(4500us).quiet(0, 1ms).look(4500us);
  CHECK_FALSE((*longer).held(0));
}

TEST_CASE("time in which a domain is barred is no gap") {
  Samples samples(2, automatic, 1ms);
  samples.gap(0, 1ms, 500us);
  samples.look(2500us).quiet(0, 1ms).barred(0, true).look(2500us);
  samples.look(40ms).barred(0, false).calls(0).look(40ms);
  samples.look(41ms).quiet(0, 1ms).look(41ms);
  CHECK((*samples).held(0));
  CHECK((*samples).next_sample(0) == Time{41ms + 1ms});
}

TEST_CASE("who comes back from a gap longer than a change there and back may interrupt soon, others after 20 "
          "changes") {
  Samples samples(2, automatic, 1ms);
  samples.gap(0, 1ms, 3ms);
  CHECK((*samples).may_interrupt_in(0, 50us, 20ms) == 150us);
  CHECK((*samples).may_interrupt_in(1, 50us, 20ms) == 20ms - 50us);
  CHECK((*samples).may_interrupt_in(1, 0ms, 20ms) == 0ms); // nothing has begun
  CHECK((*samples).least_slice(1ms) == 20ms);
}

TEST_CASE("a slice costs its device time or its time, whichever is more, and the changes that it causes") {
  Samples samples(2, automatic, 1ms);
  Anticipation& anticipation = *samples;
  CHECK(anticipation.begin_slice(true, false) == 1ms);
  CHECK(anticipation.idle_cost(3ms, 1ms) == 2ms);
  CHECK(anticipation.idle_cost(1ms, 5ms) == -2ms); // it was late: 6 ms in all, in 4 ms
  CHECK(anticipation.idle_cost(1ms, 0ms) == 0ms);
  CHECK(anticipation.begin_slice(true, true) == 2ms);
  CHECK(anticipation.begin_slice(true, false) == 0ms); // back: who interrupted has paid for it
  CHECK(anticipation.begin_slice(true, false) == 1ms);
  CHECK(anticipation.begin_slice(false, false) == 0ms);
}

TEST_CASE("with a fixed hold a slice costs half of its time without use, and changes cost nothing") {
  Samples samples(2, {.hold = 2ms}, 1ms);
  Anticipation& anticipation = *samples;
  CHECK(anticipation.begin_slice(true, true) == 0ms);
  CHECK(anticipation.idle_cost(4ms, 1ms) == 1ms);
  CHECK(anticipation.idle_cost(4ms, 3ms) == 0ms);
  CHECK(anticipation.least_slice(1ms) == 10ms);
}

TEMPLATE_TEST_CASE("a program that computes between its calls keeps its part beside kernels of 10 ms", "",
                   FairQueuing, EarliestDeadline) {
  auto const [calls, computes] = progress<TestType>(automatic);
  CHECK(calls > 0.45);
  CHECK(computes > 0.45);
  CHECK(progress<TestType>({}).first < 0.35); // without it
}

TEMPLATE_TEST_CASE("a pause gains nothing", "", FairQueuing, EarliestDeadline) {
  for (Nanos const pause : {Nanos{50us}, Nanos{300us}, Nanos{2ms}, Nanos{19ms}}) {
    INFO("pauses of " << pause.count() << " ns");
    TestType policy(automatic);
    VirtualMachine machine(policy, {{1, {300us, pause}}, {2, {300us}}});
    machine.run(20s);
    CHECK(machine.received(2) > 9500ms);
  }
}
