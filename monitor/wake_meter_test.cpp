// SPDX-License-Identifier: Apache-2.0
#include "monitor/wake_meter.h"

#include <catch2/catch.hpp>

using namespace pegasus::monitor;
using namespace std::chrono_literals;

namespace {

VcpuSchedule vcpu(VcpuState state, Nanos since, Nanos ran) {
  return {.state = state,
          .priority = 0,
          .cpu = 0,
          .credit = 0,
          .since = Time{since},
          .updated = Time{since},
          .ran = ran};
}

double only_latency_us(WakeMeter const& meter) {
  REQUIRE(meter.of(1).latency.count() == 1);
  return meter.of(1).latency.p50_us();
}

} // namespace

TEST_CASE("the time from the gate's opening to the vCPU's running") {
  WakeMeter meter;
  meter.opened(1, Time{1000us}, vcpu(VcpuState::blocked, 900us, 50us));
  CHECK_FALSE(meter.sample(1, vcpu(VcpuState::blocked, 900us, 50us)));
  CHECK_FALSE(meter.sample(1, vcpu(VcpuState::runnable, 1010us, 50us)));
  CHECK(meter.sample(1, vcpu(VcpuState::running, 1200us, 50us)));
  CHECK(only_latency_us(meter) == Approx(200).epsilon(0.25)); // a bucket is a quarter wide
  CHECK(meter.sample(1, vcpu(VcpuState::running, 1200us, 50us)));
  CHECK(meter.of(1).latency.count() == 1);
}

TEST_CASE("a look that comes when it has stopped already") {
  WakeMeter meter;
  meter.opened(1, Time{1000us}, vcpu(VcpuState::blocked, 900us, 50us));
  CHECK(meter.sample(1, vcpu(VcpuState::blocked, 1500us, 350us)));
  CHECK(only_latency_us(meter) == Approx(200).epsilon(0.25));
}

TEST_CASE("a vCPU that runs already needs no waking") {
  WakeMeter meter;
  meter.opened(1, Time{1000us}, vcpu(VcpuState::running, 900us, 50us));
  CHECK(meter.sample(1, vcpu(VcpuState::blocked, 2000us, 1150us)));
  CHECK(meter.of(1).ran_already == 1);
  CHECK(meter.of(1).latency.count() == 0);
}

TEST_CASE("a vCPU that waits for a pCPU is told from a blocked one") {
  WakeMeter meter;
  meter.opened(1, Time{1000us}, vcpu(VcpuState::blocked, 900us, 50us));
  CHECK(meter.of(1).waited == 0);
  meter.opened(1, Time{2000us}, vcpu(VcpuState::runnable, 1900us, 60us));
  CHECK(meter.of(1).waited == 1);
  CHECK(meter.sample(1, vcpu(VcpuState::running, 5000us, 60us)));
  CHECK(only_latency_us(meter) == Approx(3000).epsilon(0.25));
}

TEST_CASE("a domain that was never woken has no latency") {
  WakeMeter meter;
  CHECK(meter.sample(7, vcpu(VcpuState::running, 1us, 0us)));
  CHECK(meter.of(7).latency.count() == 0);
}
