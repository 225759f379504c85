// SPDX-License-Identifier: Apache-2.0
#include "monitor/schedule_writer.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;
using namespace std::chrono_literals;

TEST_CASE("what is written is what a reader of Xen's pages finds") {
  ScheduleWriter writer(5, 2);
  ScheduleReader const& reader = writer.reader();
  CHECK(reader.vcpus() == 2);
  CHECK(!reader.vcpu(0));
  writer.change(0, VcpuState::running, 1, Time{1ms}); // of nobody who is known
  CHECK(!reader.vcpu(0));

  writer.learn(0, VcpuState::blocked, 1, 500us, Time{10ms});
  auto vcpu = reader.vcpu(0).value();
  CHECK(vcpu.state == VcpuState::blocked);
  CHECK(vcpu.since == Time{10ms});
  CHECK(vcpu.ran == 500us);
  CHECK(credit_left(vcpu) == CreditWindow::period);

  writer.change(0, VcpuState::runnable, 1, Time{11ms});
  writer.change(0, VcpuState::running, 2, Time{12ms});
  vcpu = reader.vcpu(0).value();
  CHECK(vcpu.state == VcpuState::running);
  CHECK(vcpu.cpu == 2);
  CHECK(vcpu.since == Time{12ms});
  CHECK(vcpu.updated == Time{12ms});
  CHECK(vcpu.ran == 500us);
  writer.change(0, VcpuState::blocked, 2, Time{14ms});
  CHECK(reader.vcpu(0).value().ran == 2500us);
  CHECK(!reader.vcpu(1));
}

TEST_CASE("changes from before a look at all states are old news") {
  ScheduleWriter writer(5, 1);
  writer.learn(0, VcpuState::running, 0, 7ms, Time{10ms});
  writer.change(0, VcpuState::blocked, 0, Time{9ms});
  CHECK(writer.reader().vcpu(0).value().state == VcpuState::running);
  writer.change(0, VcpuState::blocked, 0, Time{13ms});
  CHECK(writer.reader().vcpu(0).value().ran == 10ms);
}

TEST_CASE("a look that finds the same state keeps its beginning") {
  ScheduleWriter writer(5, 1);
  writer.learn(0, VcpuState::running, 0, 7ms, Time{10ms});
  writer.learn(0, VcpuState::running, 0, 9ms, Time{12ms});
  auto const vcpu = writer.reader().vcpu(0).value();
  CHECK(vcpu.since == Time{10ms});
  CHECK(vcpu.ran == 7ms);
}

TEST_CASE("the credit is what is left of a period") {
  ScheduleWriter writer(5, 1);
  writer.learn(0, VcpuState::running, 0, 0ms, Time{0ms});
  writer.change(0, VcpuState::blocked, 0, Time{10ms});
  writer.estimate(0, Time{20ms}); // the period goes on
  CHECK(credit_left(writer.reader().vcpu(0).value()) == 30ms);
  writer.estimate(0, Time{30ms});
  CHECK(credit_left(writer.reader().vcpu(0).value()) == 20ms);
  writer.change(0, VcpuState::running, 0, Time{30ms});
  writer.estimate(0, Time{60ms}); // it runs and runs: no change is seen
  CHECK(credit_left(writer.reader().vcpu(0).value()) == 0ms);
}
