// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/schedule_view.h"

#include "sim/cpu/credit.h"
#include "sim/cpu/testing/vcpu_pool.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

// Two guests on a pCPU, of which the first runs until 10 ms and then blocks.
struct TwoGuests {
  explicit TwoGuests(ScheduleSettings const& settings) : view(pool.clock, pool.scheduler, settings) {
    view.add(512, {first});
    view.add(256, {second});
    pool.scheduler.wake(first);
  }
  void run_until(Nanos time) { pool.clock.run_until(Time{} + time); }
  pegasus::policies::CpuState seen(pegasus::policies::DomainId id) {
    return view.read({.domain = id, .vcpu = 0}, pool.clock.now());
  }
  void first_blocks() {
    run_until(10ms);
    pool.scheduler.block(first);
    pool.clock.run_until(pool.clock.now());
  }

  testing::VcpuPool<Credit> pool{1};
  CpuScheduler::VcpuId first = pool.add({.domain = 1});
  CpuScheduler::VcpuId second = pool.add({.domain = 2});
  ScheduleView view;
};

} // namespace

TEST_CASE("the pages show a vCPU as it is") {
  TwoGuests guests({});
  guests.first_blocks();
  pegasus::policies::CpuState const seen = guests.seen(1);
  CHECK_FALSE(seen.running);
  CHECK(seen.blocked_since == Time{} + 10ms);
  CHECK(seen.weight == 512);
  CHECK(guests.view.boosts());
}

TEST_CASE("old pages show a vCPU as it was, and at first nothing") {
  TwoGuests guests({.age = 5ms});
  guests.run_until(4ms);
  CHECK_FALSE(guests.seen(1).running);
  CHECK_FALSE(guests.seen(1).running_since);
  CHECK(guests.seen(1).weight == 512);
  guests.first_blocks();
  CHECK(guests.seen(1).running);
  guests.run_until(14900us);
  CHECK(guests.seen(1).running);
  CHECK_FALSE(guests.seen(1).blocked_since);
  guests.run_until(15200us);
  CHECK_FALSE(guests.seen(1).running);
  CHECK(guests.seen(1).blocked_since == Time{} + 10ms);
}

TEST_CASE("pages that are read once a period show the same until the next") {
  TwoGuests guests({.period = 4ms});
  guests.first_blocks();
  CHECK(guests.seen(1).running); // as at 8 ms
  guests.run_until(11900us);
  CHECK(guests.seen(1).running);
  guests.run_until(12ms);
  CHECK_FALSE(guests.seen(1).running);

  TwoGuests both({.age = 1ms, .period = 4ms});
  both.first_blocks();
  both.run_until(12900us);
  CHECK(both.seen(1).running);
  both.run_until(13ms);
  CHECK_FALSE(both.seen(1).running);
}

TEST_CASE("trace buffers show a vCPU as it is, and leave its credit to be estimated") {
  TwoGuests guests({.source = ScheduleSource::traces});
  guests.run_until(9500us);
  CHECK(guests.seen(1).credit_left == 30ms); // it is not known yet
  guests.first_blocks();
  pegasus::policies::CpuState const seen = guests.seen(1);
  CHECK_FALSE(seen.running);
  CHECK(seen.blocked_since == Time{} + 10ms);
  CHECK(seen.weight == 512);
  guests.run_until(39500us);
  CHECK(guests.seen(1).credit_left == 29500us); // it ran for 0.5 ms of the 30 ms since 9.5 ms
  CHECK(guests.view.boosts());
}

TEST_CASE("hypercalls show what runs once a millisecond, no times, and an estimate of the credit") {
  TwoGuests guests({.source = ScheduleSource::hypercalls});
  guests.run_until(9500us);
  CHECK(guests.seen(1).running);
  CHECK_FALSE(guests.seen(1).running_since);
  guests.first_blocks();
  CHECK(guests.seen(1).running); // not asked again
  guests.run_until(10500us);
  CHECK_FALSE(guests.seen(1).running);
  CHECK_FALSE(guests.seen(1).blocked_since);
  CHECK(guests.seen(1).credit_left == 30ms); // it is not known yet
  guests.run_until(39500us);
  CHECK(guests.seen(1).credit_left == 29500us); // it ran for 0.5 ms of the 30 ms since 9.5 ms
  CHECK(guests.seen(1).weight == 512);
  CHECK_FALSE(guests.view.boosts());
}

TEST_CASE("without Xen's libraries guests have no CPU state") {
  TwoGuests guests({.source = ScheduleSource::none});
  guests.run_until(5ms);
  CHECK(guests.seen(1) == pegasus::policies::CpuState{});
  CHECK_FALSE(guests.view.boosts());
}
