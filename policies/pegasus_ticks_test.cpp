// SPDX-License-Identifier: Apache-2.0
#include "policies/pegasus_augc.h"
#include "policies/pegasus_cosched.h"
#include "policies/pegasus_xc.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("pegasus-xc: X / Xmin ticks each, the highest weight first, with calls or without") {
  PegasusXenoCredit policy{{}};
  Timeline line(policy);
  line.at(0ms).expect(no_domain(), because(Reason::idle));
  line.domain(1).domain(2).domain(3).weight(1, 256).weight(2, 1023).weight(3, 512);
  line.at(0ms).expect(run(2), until(10ms), because(Reason::arrival)); // each is new: a tick
  line.at(10ms).expect(run(3), until(20ms), because(Reason::slice_end));
  line.at(20ms).expect(run(1), until(30ms));
  line.at(30ms).expect(run(2), until(60ms)); // whole ticks
  line.at(35ms).quiet(2).expect(run(2), until(60ms), because(Reason::unchanged));
  line.at(60ms).expect(run(3), until(80ms));
  line.at(70ms).leaves(3).expect(run(1), until(80ms), because(Reason::departure));
}

TEST_CASE("pegasus-xc: a tick without a context, 16 at most, and accelerator credits do not count") {
  PegasusXenoCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 65535).domain(2).weight(2, 65535).context(1, false).weight(1, 512);
  line.at(0ms).expect(run(2), until(10ms));
  line.at(10ms).expect(run(1), until(20ms));
  line.at(20ms).expect(run(2), until(180ms));
  line.at(180ms).expect(run(1), until(190ms));
}

TEST_CASE("pegasus-xc: ticks count from when the device has drained") {
  PegasusXenoCredit policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(10ms).expect(run(2));
  line.at(14ms).drained().expect(run(2), until(24ms));
}

TEST_CASE("pegasus-augc: the highest credits plus the CPU credit of those on a CPU, a tick at a time") {
  PegasusAugmentedCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 512).domain(2, 256).domain(3, 256);
  line.at(0ms).on_cpu(3, 20ms).expect(run(1), until(10ms));                // 512; 256; 256 + 200
  line.at(5ms).on_cpu(3, 30ms).expect(run(1), because(Reason::unchanged)); // it looks once a tick
  line.at(10ms).expect(run(3), because(Reason::slice_end));                // 256 + 300
  line.at(20ms).expect(run(3));
  line.at(30ms).off_cpu(3).on_cpu(2, 25700us).expect(run(2)); // 256 + 257
  line.at(40ms).quiet(2).expect(run(2), until(50ms));
}

TEST_CASE("pegasus-cosched: the highest credits of those on a CPU, else of all") {
  PegasusCoscheduling policy{{}};
  Timeline line(policy);
  line.domain(1, 512).domain(2, 256).domain(3, 256);
  line.at(0ms).on_cpu(2).expect(run(2), until(10ms));
  line.at(5ms).on_cpu(1).expect(run(2), because(Reason::unchanged)); // it looks once a tick
  line.at(10ms).expect(run(1), because(Reason::slice_end));
  line.at(20ms).off_cpu(1).on_cpu(3).expect(run(3)); // as 2, and has waited longer
  line.at(30ms).expect(run(2));
  line.at(40ms).off_cpu(2).off_cpu(3).expect(run(1));
  line.at(50ms).expect(run(1));
}

TEST_CASE("pegasus-augc, pegasus-cosched: a domain that has waited for 16 ticks is next") {
  PegasusAugmentedCredit augc{{}};
  PegasusCoscheduling cosched{{}};
  for (Policy* const policy : {static_cast<Policy*>(&augc), static_cast<Policy*>(&cosched)}) {
    Timeline line(*policy);
    line.domain(1, 512).domain(2, 256).quiet(2);
    for (int tick = 0; tick < 40; ++tick)
      line.at(tick * 10ms).expect(run(1)); // 2 has no calls
    line.at(400ms).calls(2);
    for (int tick = 40; tick < 56; ++tick)
      line.at(tick * 10ms).expect(run(1));
    line.at(560ms).expect(run(2));
    line.at(570ms).expect(run(1));
  }
}

TEST_CASE("pegasus: what a domain does not use of its ticks is lost, and long kernels gain") {
  PegasusXenoCredit policy{{}};
  VirtualMachine idle(policy, {{1, {1ms, 9ms}}, {2, {1ms}}});
  idle.run(5s);
  CHECK(idle.busy() == Approx(0.55).margin(0.05));
  PegasusXenoCredit again{{}};
  VirtualMachine long_kernels(again, {{1, {1ms}}, {2, {20ms}}});
  long_kernels.run(20s);
  CHECK(long_kernels.fairness_of_equals() == Approx(0.5).margin(0.05));
}
