// SPDX-License-Identifier: Apache-2.0
#include "policies/credit_pool.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

namespace {

// Runs the domain with the highest credit left, a tick at a time.
class HighestCredit final : public Policy {
public:
  explicit HighestCredit(Nanos hold = Nanos{0})
      : pool_({.hold = hold}, {.boost = none, .interrupts = false, .patience = Nanos{0}}) {}
  [[nodiscard]] Decision decide(View const& view) override { return pool_.decide(view); }

private:
  static Nanos none(DomainView const&, Nanos) { return Nanos{0}; }

  CreditPool pool_;
};

} // namespace

TEST_CASE("credit pool: credits 1024 512 256 512 are served interleaved, a tick at a time") {
  HighestCredit policy;
  Timeline line(policy);
  line.domain(1, 1024).domain(2, 512).domain(3, 256).domain(4, 512);
  for (Nanos const round : {0ms, 90ms}) { // each round has 40, 20, 10 and 20 ms
    line.at(round).expect(run(1), until(round + 10ms));
    line.at(round + 10ms).expect(run(1), until(round + 20ms));
    line.at(round + 20ms).expect(run(1), until(round + 30ms)); // 20 ms left each: the lowest id runs
    line.at(round + 30ms).expect(run(2), until(round + 40ms));
    line.at(round + 40ms).expect(run(4), until(round + 50ms));
    line.at(round + 50ms).expect(run(1), until(round + 60ms)); // 10 ms left each
    line.at(round + 60ms).expect(run(2), until(round + 70ms));
    line.at(round + 70ms).expect(run(3), until(round + 80ms));
    line.at(round + 80ms).expect(run(4), until(round + 90ms));
  }
  VirtualMachine machine(policy, {{1, {1ms}, 1024}, {2, {1ms}, 512}, {3, {1ms}, 256}, {4, {1ms}, 512}});
  machine.run(10s);
  CHECK(machine.fairness_by_credits() >= 0.98);
}

TEST_CASE("credit pool: kernels longer than a tick are paid for") {
  HighestCredit policy;
  VirtualMachine machine(policy, {{1, {35ms}}, {2, {1ms}}});
  machine.run(10s);
  CHECK(machine.fairness_of_equals() >= 0.97);
}

TEST_CASE("credit pool: totals that are seen late change no share") {
  HighestCredit policy;
  VirtualMachine machine(policy, {{1, {4ms}}, {2, {300us}}}, {.late_totals = true});
  machine.run(10s);
  CHECK(machine.fairness_of_equals() >= 0.95);
}

TEST_CASE("credit pool: use that no other domain wanted makes no debt, idling earns no credit") {
  HighestCredit policy;
  VirtualMachine machine(policy, {{1, {1ms}}, {2, {1ms}}});
  machine.set_active(2, false);
  machine.run(10s);
  machine.set_active(2, true);
  machine.mark();
  machine.run(200ms);
  CHECK(machine.received(1) >= 80ms);
  CHECK(machine.received(2) >= 80ms);
}

TEST_CASE("credit pool: a domain that computes between its calls yields, and is not forgotten") {
  HighestCredit policy;
  VirtualMachine machine(policy, {{1, {1ms, 1ms}}, {2, {1ms}}});
  machine.run(4s);
  CHECK(machine.busy() > 0.99);
  CHECK(machine.share(1) > 0.3);
}

TEST_CASE("credit pool: a gate that is open without use costs half of the time") {
  HighestCredit policy;
  Timeline line(policy);
  line.domain(1).domain(2);
  Nanos first{0};
  for (Nanos now{0}; now < 2s; now += 10ms) {
    line.at(now);
    if (!line.last().run.empty() && line.last().run.front() == 1) {
      line.used_extra(1, -10ms); // its View says that calls are waiting, and the device is idle
      first += 10ms;
    }
    line.expect();
  }
  CHECK(first <= 1400ms); // two thirds
}

TEST_CASE("credit pool: held, a domain that is expected back keeps its slice for twice its mean gap") {
  HighestCredit policy(5ms);
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(2ms).quiet(1).expect(run(2), because(Reason::yield)); // nothing is known of its gaps
  line.at(4500us).calls(1).expect(run(1), until(12500us), because(Reason::arrival));
  line.at(6ms).quiet(1).expect(run(2), because(Reason::arrival)); // 6.5, 7.5: it interrupts a held one, too
  line.at(8ms).calls(1).expect(run(1), because(Reason::arrival)); // 6.5, 5.5: gaps of 2.5 and 2 ms
  line.at(8500us).quiet(1).expect(run(1), ask_again(13250us), because(Reason::unchanged));
}

TEST_CASE("credit pool: held domains change places seldom, and keep their shares") {
  for (Nanos const hold : {0ms, 1ms}) {
    HighestCredit policy(hold);
    VirtualMachine machine(policy, {{1, {500us, 200us}, 512}, {2, {500us, 200us}, 256}});
    machine.run(5s);
    INFO("hold " << hold.count() << " ns, " << machine.switches() << " switches, share " << machine.share(1)
                 << ", busy " << machine.busy());
    CHECK((machine.switches() < 2'500) == (hold > 0ms));
    if (hold > 0ms) CHECK(machine.share(1) == Approx(2.0 / 3).margin(0.02));
    CHECK(machine.busy() > (hold > 0ms ? 0.7 : 0.9));
  }
}
