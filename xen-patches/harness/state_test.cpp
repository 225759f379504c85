/* SPDX-License-Identifier: GPL-2.0-only */
// state.c of 0001-*.patch, as it is, on a machine of our own.
#include "monitor/schedule_reader.h"
#include "xen-patches/harness/world.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>

using harness::machine;
using harness::World;
using pegasus::monitor::ScheduleReader;

TEST_CASE("the pages are made by the first acquire, and by no other") {
  World world;
  REQUIRE(world.acquire() == 1);
  CHECK(machine.allocations == 1);
  void const* const pages = world.d.sched_state;
  CHECK(pages == machine.heap);
  auto const seq = world.slot(0).seq;
  REQUIRE(world.acquire() == 1);
  CHECK(machine.allocations == 1);
  CHECK(world.d.sched_state == pages);
  CHECK(world.slot(0).seq == seq);
}

TEST_CASE("the header says where the slots are") {
  World world(3);
  REQUIRE(world.acquire() == 1);
  auto const& header = world.header();
  CHECK(header.version == XEN_SCHED_STATE_VERSION);
  CHECK(header.nr_vcpus == 3);
  CHECK(header.slot_offset == 64);
  CHECK(header.slot_size == 64); // a cache line
  CHECK(header.domid == 7);
  for (auto const pad : header.pad)
    CHECK(pad == 0);
}

TEST_CASE("all pages are shared with the domain, read-only, and hold nothing of another") {
  struct Size {
    unsigned vcpus, frames, order;
  };
  auto const size = GENERATE(Size{1, 1, 0}, Size{63, 1, 0}, Size{64, 2, 1}, Size{128, 3, 2});
  CAPTURE(size.vcpus);
  World world(size.vcpus);
  CHECK(sched_state_max_frames(&world.d) == size.frames);
  REQUIRE(world.acquire(0, 0, size.frames) == static_cast<int>(size.frames));
  CHECK(machine.heap_order == size.order);
  CHECK(machine.pages.size() == std::size_t{1} << size.order);
  for (auto const& page : machine.pages) {
    CHECK(page.owner == &world.d);
    CHECK(page.flags == SHARE_ro);
  }
  auto const used = sizeof(xen_sched_state_hdr) + size.vcpus * sizeof(xen_sched_state_vcpu);
  auto const rest = world.bytes().subspan(used);
  CHECK(std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST_CASE("an acquire writes every vCPU's slot") {
  World world(128);
  machine.now = 5000;
  REQUIRE(world.acquire() == 1);
  for (unsigned id = 0; id < 128; ++id) {
    CAPTURE(id);
    CHECK(world.slot(id).seq == 2);
    CHECK(world.slot(id).state == RUNSTATE_blocked);
    CHECK(world.slot(id).cpu == id % 2);
    CHECK(world.slot(id).entry_time == 100 + id);
    CHECK(world.slot(id).update_time == 5000);
    CHECK(world.slot(id).time[3] == id);
  }
}

TEST_CASE("a vCPU that is made later has a slot which says so") {
  World world(3);
  world.vcpus[1].next_in_list = nullptr;
  REQUIRE(world.acquire() == 1);
  CHECK(world.header().nr_vcpus == 3);
  CHECK(world.slot(2).seq == 0);
  auto const reader = ScheduleReader::open(world.bytes());
  REQUIRE(reader);
  CHECK_FALSE(reader->vcpu(2));
  world.write(2, 1);
  CHECK(reader->vcpu(2));
}

TEST_CASE("a domain without vCPUs has a header") {
  World world(0);
  world.d.vcpu = nullptr;
  REQUIRE(world.acquire() == 1);
  CHECK(world.header().nr_vcpus == 0);
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
  world.sched.look = [&](xen_sched_state_vcpu const& slot) { during.push_back(slot.seq); };
  for (std::uint32_t i = 0; i < 3; ++i) {
    world.write(1, 10 + i);
    CHECK(world.slot(1).seq == 4 + 2 * i);
  }
  CHECK(during == std::vector<std::uint32_t>{3, 5, 7});
  CHECK(world.slot(0).seq == 2);
}

TEST_CASE("seq is never 0 again, however often a slot is written") {
  World world;
  REQUIRE(world.acquire() == 1);
  const_cast<xen_sched_state_vcpu&>(world.slot(1)).seq = 0xfffffffe;
  world.write(1, 10);
  CHECK(world.slot(1).seq == 2);
  CHECK(ScheduleReader::open(world.bytes())->vcpu(1));
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
  CHECK(std::memcmp(&seen[1], &expected, sizeof expected) == 0); // all of it before even
}

TEST_CASE("writers find the pages when header and owner are set, not before") {
  World world;
  unsigned barriers = 0;
  machine.on_wmb = [&] {
    CHECK(world.d.domain_lock.locked); // of two acquires at once one allocates
    if (barriers++ > 0) return;
    CHECK(world.d.sched_state == nullptr);
    CHECK(world.header().version == XEN_SCHED_STATE_VERSION);
    CHECK(world.header().slot_size == sizeof(xen_sched_state_vcpu));
    CHECK(world.slot(3).seq == 0);
    CHECK(machine.pages[0].owner == &world.d);
  };
  REQUIRE(world.acquire() == 1);
  CHECK(barriers == 1 + 2 * 4);
}

TEST_CASE("an offline vCPU keeps the credit and priority that it had") {
  World world;
  world.sched.credit = 33;
  world.sched.priority = XEN_SCHED_PRIORITY_under;
  world.vcpus[0].runstate.state = RUNSTATE_offline; // from the start: it had none
  REQUIRE(world.acquire() == 1);
  CHECK(world.sched.calls == 3);
  CHECK(world.slot(0).credit == 0);
  CHECK(world.slot(0).priority == XEN_SCHED_PRIORITY_none);
  world.sched.credit = 44;
  world.sched.priority = XEN_SCHED_PRIORITY_over;
  world.vcpus[1].runstate.state = RUNSTATE_offline;
  world.vcpus[1].sched_unit = nullptr; // sched_move_domain() is at it
  world.write(1, 700);
  CHECK(world.sched.calls == 3);
  CHECK(world.slot(1).state == RUNSTATE_offline);
  CHECK(world.slot(1).update_time == 700);
  CHECK(world.slot(1).credit == 33);
  CHECK(world.slot(1).priority == XEN_SCHED_PRIORITY_under);
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

TEST_CASE("out of memory leaves nothing behind, and the next acquire may succeed") {
  World world;
  machine.out_of_memory = true;
  CHECK(world.acquire() == -ENOMEM);
  CHECK(world.d.sched_state == nullptr);
  CHECK(world.mfns[0] == World::untouched);
  CHECK(world.sched.calls == 0);
  machine.out_of_memory = false;
  CHECK(world.acquire() == 1);
}

TEST_CASE("of a dying domain nothing is acquired, whether it has pages or not") {
  auto const state = GENERATE(domain::DOMDYING_dying, domain::DOMDYING_dead);
  World world;
  world.d.is_dying = state;
  CHECK(world.acquire() == -EINVAL);
  CHECK(world.d.sched_state == nullptr);
  CHECK(machine.allocations == 0);
  world.d.is_dying = domain::DOMDYING_alive;
  REQUIRE(world.acquire() == 1);
  world.d.is_dying = state;
  CHECK(world.acquire() == -EINVAL);
  CHECK(world.mfns[0] == World::untouched);
  CHECK(world.d.sched_state != nullptr); // for those who have mapped it
}

TEST_CASE("another id, or frames that are not all there, are refused before anything is allocated") {
  World world(64); // two frames
  CHECK(world.acquire(1, 0, 1) == -EINVAL);
  CHECK(world.acquire(0, 0, 3) == -EINVAL);
  CHECK(world.acquire(0, 1, 2) == -EINVAL);
  CHECK(world.acquire(0, 2, 1) == -EINVAL);
  CHECK(world.mfns[0] == World::untouched);
  CHECK(machine.allocations == 0);
}

TEST_CASE("the pages that round an allocation up are no frames") {
  World world(128); // four pages, three frames
  CHECK(world.acquire(0, 3, 1) == -EINVAL);
}

TEST_CASE("the list has the frames that were asked for, and no more") {
  World world(128);
  REQUIRE(world.acquire(0, 0, 3) == 3);
  CHECK(world.mfns == std::vector<xen_pfn_t>{harness::first_mfn, harness::first_mfn + 1,
                                             harness::first_mfn + 2, World::untouched});
  REQUIRE(world.acquire(0, 1, 2) == 2);
  CHECK(world.mfns ==
        std::vector<xen_pfn_t>{harness::first_mfn + 1, harness::first_mfn + 2, World::untouched});
  REQUIRE(world.acquire(0, 2, 1) == 1);
  CHECK(world.mfns == std::vector<xen_pfn_t>{harness::first_mfn + 2, World::untouched});
}

TEST_CASE("free gives all pages back and lets no writer in") {
  World world(128);
  sched_state_free(&world.d); // it had none
  REQUIRE(world.acquire() == 1);
  sched_state_free(&world.d);
  CHECK(machine.heap == nullptr);
  CHECK(world.d.sched_state == nullptr);
}

TEST_CASE("a write without the lock of the vCPU's pCPU is an error") {
  World world;
  REQUIRE(world.acquire() == 1);
  CHECK_THROWS_AS(sched_state_write(&world.vcpus[1], 1), harness::AssertFailed);
  spin_lock(&world.locks[0]); // the other pCPU's
  CHECK_THROWS_AS(sched_state_write(&world.vcpus[1], 1), harness::AssertFailed);
  spin_unlock(&world.locks[0]);
  CHECK(world.slot(1).seq == 2);
}
