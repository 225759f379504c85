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
  [[nodiscard]] Decision decide(View const& view) override { return pool_.decide(view); }

private:
  static Nanos none(DomainView const&, Nanos) { return Nanos{0}; }

  CreditPool pool_{10ms, {.boost = none, .credit_first = true, .interrupts = false, .patience = Nanos{0}}};
};

} // namespace

TEST_CASE("credit pool: credits 1024 512 256 512 are served interleaved, a tick at a time") {
  HighestCredit policy;
  Timeline line(policy);
  line.domain(1, 1024).domain(2, 512).domain(3, 256).domain(4, 512);
  for (const Nanos round : {0ms, 90ms}) { // each round has 40, 20, 10 and 20 ms
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
