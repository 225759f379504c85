// SPDX-License-Identifier: Apache-2.0
#include "policies/cosched.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("cosched: those on a CPU run, by credit left; without any the highest credit does") {
  Cosched policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3).on_cpu(2).on_cpu(3);
  line.at(0ms).expect(run(2), until(10ms), because(Reason::arrival));
  line.at(10ms).expect(run(3), until(20ms), because(Reason::slice_end));
  line.at(20ms).expect(run(2), until(30ms), because(Reason::slice_end)); // 1 is not on a CPU
  line.at(30ms).off_cpu(2).off_cpu(3).expect(run(1));
}

TEST_CASE(
    "cosched: a domain that leaves its CPU gives way to one that is on a CPU, after a tenth of a tick") {
  Cosched policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).on_cpu(1);
  line.at(0ms).expect(run(1), ask_again(1ms));
  line.at(500us).off_cpu(1).on_cpu(2).expect(run(1), because(Reason::unchanged));
  line.at(1ms).expect(run(2), because(Reason::arrival));
}

TEST_CASE("cosched: one that is on a CPU gives way to no other before its slice is over, whatever that one's "
          "credit") {
  Cosched policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2, 1024).on_cpu(1);
  line.at(0ms).expect(run(1));
  line.at(3ms).on_cpu(2).expect(run(1), because(Reason::unchanged));
  line.at(10ms).expect(run(2), because(Reason::slice_end));
}

TEST_CASE("cosched: that no other vCPU runs is not a reason to stop") {
  Cosched policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).on_cpu(1);
  line.at(0ms).expect(run(1));
  line.at(5ms).off_cpu(1).expect(run(1), until(10ms), because(Reason::unchanged));
}

TEST_CASE("cosched: on a CPU without calls counts for nothing") {
  Cosched policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).quiet(2).on_cpu(2);
  line.at(0ms).expect(run(1));
}

TEST_CASE("cosched: a domain that is never on a CPU waits for 16 ticks, not for ever") {
  Cosched policy{{}};
  VirtualMachine machine(policy, {{1, {1ms}}, {2, {1ms}}}, {.cpu_schedule = [](Time, DomainView& domain) {
                           domain.cpu.running = domain.id == 1;
                         }});
  machine.run(4s);
  CHECK(machine.longest_wait(2) >= 150ms);
  CHECK(machine.longest_wait(2) <= 180ms);
  CHECK(machine.share(2) < 0.1); // the occasional unfairness
}

TEST_CASE("cosched: alternating on one CPU, the accelerator follows") {
  Nanos together{0};
  Cosched policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  for (Nanos now{0}; now < 3s; now += 1ms) {
    bool const first = (now / 30ms) % 2 == 0;
    line.on_cpu(first ? 1 : 2).off_cpu(first ? 2 : 1).at(now).expect();
    if (line.last().run == std::vector<DomainId>{first ? 1u : 2u}) together += 1ms;
  }
  CHECK(together >= 2700ms);
}

TEST_CASE("cosched: a returning domain goes before those on a CPU only if it is on one itself") {
  Cosched policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3).quiet(3).on_cpu(2);
  line.at(0ms).expect(run(2));
  line.at(2ms).quiet(2).off_cpu(2).expect(run(1));
  line.at(3500us).calls(2).on_cpu(1).expect(run(1), because(Reason::unchanged));
  line.at(12ms).calls(3).off_cpu(1).on_cpu(3).expect(run(3), because(Reason::slice_end));
}
