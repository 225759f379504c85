/* SPDX-License-Identifier: GPL-2.0-only */
// Tests what the unchanged state.c of 0001-*.patch writes, and when, on the harness's machine.
#include "monitor/schedule_reader.h"
#include "xen-patches/harness/world.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>

using harness::machine;
using harness::World;
using pegasus::monitor::ScheduleReader;

TEST_CASE("a slot's first content does without the unit, which may be about to go") {
  World world;
  world.sched.credit = 33;
  for (auto& vcpu : world.vcpus)
    vcpu.sched_unit = nullptr;
  REQUIRE(world.acquire() == 1);
  CHECK(world.sched.calls == 0);
  CHECK(world.slot(1).credit == 0);
  CHECK(world.slot(1).priority == XEN_SCHED_PRIORITY_none);
  world.vcpus[1].sched_unit = &world.units[1];
  world.write(1, 1);
  CHECK(world.slot(1).credit == 33);
}

TEST_CASE("a vCPU that is moved while its lock is waited for is written under its new pCPU's") {
  World world(1);
  machine.on_lock = [&] {
    world.vcpus[0].processor = 1;
    machine.on_lock = nullptr;
  };
  REQUIRE(world.acquire() == 1); // a write under the wrong lock is an error
  CHECK(world.slot(0).cpu == 1);
  CHECK(world.slot(0).seq == 2);
}

TEST_CASE("a change is written as vcpu_runstate_change() is about to make it") {
  World world;
  REQUIRE(world.acquire() == 1);
  auto& runstate = world.vcpus[1].runstate;
  runstate = {RUNSTATE_running, 1000, {5, 6, 7, 8}};
  world.change(1, RUNSTATE_blocked, 1300);
  CHECK(world.slot(1).state == RUNSTATE_blocked);
  CHECK(world.slot(1).entry_time == 1300);
  CHECK(world.slot(1).update_time == 1300);
  CHECK(world.slot(1).time[RUNSTATE_running] == 305);
  CHECK(world.slot(1).time[RUNSTATE_blocked] == 7);
  CHECK(runstate.time[RUNSTATE_running] == 5); // vcpu_runstate_change() itself updates it
  world.change(1, RUNSTATE_runnable, 900);     // earlier than the entry: no time is added
  CHECK(world.slot(1).state == RUNSTATE_runnable);
  CHECK(world.slot(1).entry_time == 1000);
  CHECK(world.slot(1).time[RUNSTATE_running] == 5);
}

TEST_CASE("a write takes all from the vCPU, and credit and priority from its scheduler") {
  World world;
  REQUIRE(world.acquire() == 1);
  auto const others = std::array{world.slot(1), world.slot(3)};
  world.sched.calls = 0;
  world.sched.credit = -120;
  world.sched.priority = XEN_SCHED_PRIORITY_boost;
  world.vcpus[2].processor = 1;
  world.vcpus[2].runstate = {RUNSTATE_running, 0x1'0000'0005, {11, 12, 13, 14}};
  world.write(2, 0x2'0000'0009);
  auto const& slot = world.slot(2);
  CHECK(slot.state == RUNSTATE_running);
  CHECK(slot.priority == XEN_SCHED_PRIORITY_boost);
  CHECK(slot.cpu == 1);
  CHECK(slot.credit == -120);
  CHECK(slot.entry_time == 0x1'0000'0005);
  CHECK(slot.update_time == 0x2'0000'0009);
  CHECK(std::equal(std::begin(slot.time), std::end(slot.time), std::array{11, 12, 13, 14}.begin()));
  CHECK(world.sched.calls == 1);
  CHECK(world.sched.unit == &world.units[2]);
  CHECK(world.sched.now == 0x2'0000'0009);
  CHECK(std::memcmp(&world.slot(1), &others[0], sizeof slot) == 0);
  CHECK(std::memcmp(&world.slot(3), &others[1], sizeof slot) == 0);
}

TEST_CASE("seq is odd as long as a slot is written, and even between writes") {
  World world;
  REQUIRE(world.acquire() == 1);
  std::vector<std::uint32_t> during;
  machine.on_wmb = [&] { during.push_back(world.slot(1).seq); };
  for (std::uint32_t i = 0; i < 3; ++i) {
    world.write(1, 10 + i);
    CHECK(world.slot(1).seq == 4 + 2 * i);
  }
  CHECK(during == std::vector<std::uint32_t>{3, 3, 5, 5, 7, 7});
  CHECK(world.slot(0).seq == 2);
}

TEST_CASE("seq is never 0 again, however often a slot is written") {
  World world;
  REQUIRE(world.acquire() == 1);
  world.vcpus[1].sched_state_seq = 0xfffffffe;
  world.write(1, 10);
  CHECK(world.slot(1).seq == 2);
  CHECK(ScheduleReader::open(world.bytes())->vcpu(1));
}

TEST_CASE("what is in the pages is never read: writing to them harms readers only") {
  World world;
  world.sched.credit = 5;
  REQUIRE(world.acquire() == 1);
  auto const write = [&](std::byte rubbish) {
    std::memset(world.d.sched_state[0], static_cast<int>(rubbish), PAGE_SIZE);
    world.write(1, 50);
    return world.slot(1);
  };
  auto const first = write(std::byte{0xff});
  auto second = write(std::byte{0x55});
  CHECK(first.seq == 4);
  CHECK(second.seq == 6);
  second.seq = first.seq;
  CHECK(std::memcmp(&first, &second, sizeof first) == 0);
}

TEST_CASE("barriers keep seq and the slot's other words in order") {
  World world;
  world.sched.credit = 1;
  REQUIRE(world.acquire() == 1);
  auto const before = world.slot(1);
  std::vector<xen_sched_state_vcpu> seen;
  machine.on_wmb = [&] { seen.push_back(world.slot(1)); };
  world.sched.credit = 2;
  world.vcpus[1].runstate = {RUNSTATE_running, 900, {5, 6, 7, 8}};
  world.write(1, 1000);
  REQUIRE(seen.size() == 2);
  auto expected = before;
  expected.seq = 3;
  CHECK(std::memcmp(&seen[0], &expected, sizeof expected) == 0); // odd before anything else
  expected = world.slot(1);
  CHECK(expected.seq == 4);
  expected.seq = 3;
  CHECK(std::memcmp(&seen[1], &expected, sizeof expected) == 0); // everything else before seq is even again
}

TEST_CASE("an offline vCPU has no credit, and its unit is not looked at") {
  World world;
  REQUIRE(world.acquire() == 1);
  world.sched.credit = 44;
  world.sched.priority = XEN_SCHED_PRIORITY_over;
  world.write(1, 600);
  CHECK(world.slot(1).credit == 44);
  world.vcpus[1].sched_unit = nullptr; // as during sched_move_domain()
  world.change(1, RUNSTATE_offline, 700);
  CHECK(world.sched.calls == 1);
  CHECK(world.slot(1).state == RUNSTATE_offline);
  CHECK(world.slot(1).update_time == 700);
  CHECK(world.slot(1).credit == 0);
  CHECK(world.slot(1).priority == XEN_SCHED_PRIORITY_none);
}

TEST_CASE("a scheduler that knows no credit leaves none behind") {
  World world;
  world.sched.credit = 33;
  world.sched.priority = XEN_SCHED_PRIORITY_under;
  REQUIRE(world.acquire() == 1);
  world.sched.get_credit = nullptr; // moved to another cpupool
  world.write(1, 1);
  CHECK(world.slot(1).credit == 0);
  CHECK(world.slot(1).priority == XEN_SCHED_PRIORITY_none);
  CHECK(world.slot(1).seq == 4);
}

TEST_CASE("a scheduler that sets credit only leaves the priority at none") {
  World world;
  world.sched.priority = XEN_SCHED_PRIORITY_under;
  REQUIRE(world.acquire() == 1);
  world.sched.get_credit = [](scheduler const*, sched_unit const*, s_time_t, xen_sched_state_vcpu* slot) {
    slot->credit = 5;
  };
  world.write(1, 1);
  CHECK(world.slot(1).credit == 5);
  CHECK(world.slot(1).priority == XEN_SCHED_PRIORITY_none);
}

TEST_CASE("a write without the lock of the vCPU's pCPU is an error") {
  World world;
  REQUIRE(world.acquire() == 1);
  CHECK_THROWS_AS(sched_state_write(&world.vcpus[1], RUNSTATE_blocked, 1), harness::AssertFailed);
  spin_lock(&world.locks[0]); // the lock of the other pCPU
  CHECK_THROWS_AS(sched_state_write(&world.vcpus[1], RUNSTATE_blocked, 1), harness::AssertFailed);
  spin_unlock(&world.locks[0]);
  CHECK(world.slot(1).seq == 2);
}
