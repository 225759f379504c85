// SPDX-License-Identifier: Apache-2.0
#include "policies/augc.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("augc: a domain keeps the accelerator for the CPU slice of its vCPU, and the others catch up") {
  for (Nanos const left :
       {0ms, 5ms, 30ms}) { // OVER, or with less credit than a slice: it is on its pCPU all the same
    AugmentedCredit policy{{}};
    Timeline line(policy);
    line.domain(1).domain(2).on_cpu(2, left);
    line.at(0ms).expect(run(2), until(10ms), because(Reason::arrival));
    line.at(10ms).expect(run(2), until(20ms), because(Reason::slice_end));
    line.at(20ms).expect(run(2), until(30ms));
    line.at(30ms).on_cpu(1, left).off_cpu(2).expect(run(1), until(40ms)); // 10 + 30, -20
    line.at(40ms).expect(run(1));
    line.at(50ms).expect(run(1));
    line.at(60ms).off_cpu(1).expect(run(1)); // both -20
  }
}

TEST_CASE("augc: the most CPU credit goes first, the accelerator's own credit counts too") {
  AugmentedCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 512).domain(2).domain(3).on_cpu(2, 35ms).on_cpu(3, 50ms);
  line.at(0ms).expect(run(3));  // 20, 10 + 35, 10 + 50
  line.at(10ms).expect(run(3)); // 0 + 50
  line.at(20ms).expect(run(2)); // 10 + 35, -10 + 50
  line.at(30ms).expect(run(3)); // 0 + 35, -10 + 50
  line.at(40ms).off_cpu(2).off_cpu(3).expect(run(1));
}

TEST_CASE("augc: shares follow the credits, whichever vCPUs run") {
  // Domain 3 is always on a CPU, 4 never; the others take turns of 30 ms.
  auto const schedule = [](Time now, DomainView& domain) {
    domain.cpu.running =
        domain.id == 3 || (domain.id != 4 && (now.time_since_epoch() / 30ms) % 2 == domain.id % 2);
    domain.cpu.credit_left = 30ms;
  };
  for (Nanos const kernel : {200us, 3000us, 25000us}) {
    AugmentedCredit policy{{}};
    VirtualMachine machine(policy,
                           {{1, {1ms}, 1024}, {2, {kernel}, 512}, {3, {1ms}, 256}, {4, {kernel}, 512}},
                           {.cpu_schedule = schedule});
    machine.run(1s);
    machine.mark();
    machine.run(10s);
    INFO("kernels of " << kernel.count() << " ns");
    CHECK(machine.fairness_by_credits() >= 0.95);
    CHECK(machine.busy() > 0.99);
  }
}

TEST_CASE(
    "augc: a CPU credit beyond all measure counts as two slices, one of a domain off the CPU as nothing") {
  AugmentedCredit policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).on_cpu(1, Nanos::max()).on_cpu(2, Nanos::max()).off_cpu(2);
  for (Nanos const now : {0ms, 10ms, 20ms, 30ms, 40ms, 50ms, 60ms})
    line.at(now).expect(run(1));
  line.at(70ms).expect(run(2));
}

TEST_CASE("augc: of several that return the one that is on a CPU goes first") {
  AugmentedCredit policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3);
  line.at(0ms).expect(run(1));
  line.at(2ms).quiet(1).expect(run(2));
  line.at(4ms).quiet(2).expect(run(3));
  line.at(5ms).calls(1).calls(2).on_cpu(2, 30ms).expect(run(2), because(Reason::arrival)); // 8, 8 + 30
}

// Pegasus, Figs. 4 and 5: the halves of coupled programs run together. Four domains, two pCPUs, each shared
// by two of them in slices of 30 ms.
TEST_CASE("augc: the accelerator's half runs while the CPU's does, for programs that compute between calls") {
  for (Demand const demand : {Demand{2ms, 500us}, Demand{1ms, 1ms}, Demand{500us, 200us}, Demand{4ms, 2ms}}) {
    auto const on_cpu = [](Nanos now, DomainId id) { return (now / 30ms) % 2 == static_cast<int>(id % 2); };
    AugmentedCredit policy{{}};
    VirtualMachine machine(policy, {{1, demand}, {2, demand}, {3, demand}, {4, demand}},
                           {.spin = 50us, .cpu_schedule = [&](Time now, DomainView& domain) {
                              domain.cpu.running = on_cpu(now.time_since_epoch(), domain.id);
                              domain.cpu.credit_left =
                                  domain.cpu.running ? 30ms - now.time_since_epoch() % 30ms : 0ms;
                            }});
    Nanos together{0};
    Nanos all{0};
    for (Nanos now{0}; now < 20s; now += 1ms) {
      machine.mark();
      machine.run(1ms);
      for (DomainId const id : {1U, 2U, 3U, 4U}) {
        all += machine.received(id);
        if (on_cpu(now, id)) together += machine.received(id);
      }
    }
    INFO("kernels of " << demand.kernel.count() << " ns");
    CHECK(static_cast<double>(together.count()) / static_cast<double>(all.count()) > 0.7);
  }
}
