/* SPDX-License-Identifier: GPL-2.0-only */
// Tests the pages of the unchanged state.c of 0001-*.patch, on the harness's machine.
#include "monitor/schedule_reader.h"
#include "xen-patches/harness/world.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <utility>

using harness::machine;
using harness::World;
using pegasus::monitor::ScheduleReader;

TEST_CASE("a page is made by the first acquire, and by no other") {
  World world;
  REQUIRE(world.acquire() == 1);
  CHECK(machine.allocations == 1);
  void const* const page = world.d.sched_state[0];
  auto const seq = world.slot(0).seq;
  REQUIRE(world.acquire() == 1);
  CHECK(machine.allocations == 1);
  CHECK(world.d.sched_state[0] == page);
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

TEST_CASE("pages are Xen's, not the domain's, and hold nothing of another") {
  struct Size {
    unsigned vcpus, frames;
  };
  auto const size = GENERATE(Size{1, 1}, Size{63, 1}, Size{64, 2}, Size{127, 2}, Size{128, 3});
  CAPTURE(size.vcpus);
  World world(size.vcpus);
  CHECK(sched_state_max_frames(&world.d) == size.frames);
  REQUIRE(world.acquire(0, size.frames) == static_cast<int>(size.frames));
  CHECK(machine.allocations == size.frames);
  CHECK(machine.memflags == (MEMF_no_refcount | MEMF_node(world.d.domain_id)));
  for (unsigned i = 0; i < size.frames; ++i) {
    CHECK(machine.pages[i].owner == dom_xen);
    CHECK(machine.pages[i].references == 2);        // the allocation's and, while Xen writes, Xen's
    CHECK(machine.pages[i].u.inuse.type_info == 1); // pinned, without a type
  }
  auto const used = sizeof(xen_sched_state_hdr) + size.vcpus * sizeof(xen_sched_state_vcpu);
  auto const rest = world.bytes().subspan(used);
  CHECK(std::all_of(rest.begin(), rest.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST_CASE("an acquire makes one page at a time, and only those that are asked for") {
  World world(128);
  CHECK(world.acquire_once(0, 3) == 1);
  CHECK(world.mfns[1] == World::untouched);
  CHECK(machine.allocations == 1);
  CHECK(world.acquire_once(0, 3) == 2); // the existing frame and one more
  CHECK(machine.allocations == 2);
  CHECK(world.acquire_once(1, 1) == 1);
  CHECK(world.acquire_once(2, 1) == 1);
  CHECK(world.acquire_once(0, 3) == 3);
  CHECK(machine.allocations == 3);
}

TEST_CASE("a page in the middle may be the first") {
  World world(128);
  REQUIRE(world.acquire(1, 1) == 1);
  CHECK(machine.allocations == 1);
  CHECK(world.slot(63).seq == 2);
  CHECK(world.slot(126).seq == 2);
  world.write(62, 7); // the pages of 62 and 127 were not acquired: nothing is written
  world.write(127, 7);
  CHECK(world.vcpus[62].sched_state_seq == 0);
  CHECK(world.vcpus[127].sched_state_seq == 0);
  REQUIRE(world.acquire(0, 3) == 3);
  CHECK(world.slot(62).seq == 2);
  CHECK(world.slot(63).seq == 2);
  CHECK(world.slot(127).seq == 2);
}

TEST_CASE("an acquire writes every vCPU's slot") {
  World world(128);
  machine.now = 5000;
  REQUIRE(world.acquire(0, 3) == 3);
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
  vcpu* const later = std::exchange(world.by_id[2], nullptr);
  REQUIRE(world.acquire() == 1);
  world.by_id[2] = later;
  CHECK(world.header().nr_vcpus == 3);
  CHECK(world.slot(2).seq == 0);
  auto const reader = ScheduleReader::open(world.bytes());
  REQUIRE(reader);
  CHECK_FALSE(reader->vcpu(2));
  world.write(2, 1);
  CHECK(reader->vcpu(2));
}

TEST_CASE("what has been written before the page's maker comes to it stays") {
  World world(1);
  machine.on_lock = [&] {
    machine.on_lock = nullptr;
    world.write(0, 800);
  };
  machine.now = 900;
  REQUIRE(world.acquire() == 1);
  CHECK(world.slot(0).update_time == 800);
  CHECK(world.slot(0).seq == 2);
}

TEST_CASE("a domain without vCPUs has a header") {
  World world(0);
  world.d.vcpu = nullptr;
  REQUIRE(world.acquire() == 1);
  CHECK(world.header().nr_vcpus == 0);
}

TEST_CASE("writers find a page when it is filled, not before") {
  World world;
  unsigned barriers = 0;
  machine.on_wmb = [&] {
    CHECK(world.d.domain_lock.locked); // only one of two simultaneous acquires allocates
    switch (barriers++) {
    case 0:
      CHECK(world.d.sched_state == nullptr);
      return;
    case 1:
      CHECK(world.d.sched_state[0] == nullptr);
      CHECK(machine.pages[0].u.inuse.type_info == 1);
      auto const& header = *reinterpret_cast<xen_sched_state_hdr*>(harness::memory_of(0));
      CHECK(header.version == XEN_SCHED_STATE_VERSION);
      CHECK(header.slot_size == sizeof(xen_sched_state_vcpu));
    }
  };
  REQUIRE(world.acquire() == 1);
  CHECK(barriers == 2 + 2 * 4);
}

TEST_CASE("out of memory leaves nothing behind, and the next acquire may succeed") {
  World world;
  SECTION("pages") { machine.pages_left = 0; }
  SECTION("addresses") { machine.no_space = true; }
  SECTION("small things") { machine.no_small = true; }
  unsigned const pages = machine.pages_left;
  CHECK(world.acquire() == -ENOMEM);
  CHECK(machine.pages_left == pages);
  CHECK(world.mfns[0] == World::untouched);
  world.write(0, 1); // writers find no page
  machine.pages_left = harness::pages_of_machine;
  machine.no_space = machine.no_small = false;
  CHECK(world.acquire() == 1);
}

TEST_CASE("out of memory in the middle: what was made is there, the rest may come later") {
  World world(128);
  machine.pages_left = 2;
  CHECK(world.acquire(0, 3) == -ENOMEM);
  CHECK(world.acquire(0, 2) == 2);
  machine.pages_left = harness::pages_of_machine - 2;
  CHECK(world.acquire(0, 3) == 3);
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
}

TEST_CASE("frames that are not all there are refused before anything is allocated") {
  World world(64); // two frames
  CHECK(world.acquire(0, 3) == -EINVAL);
  CHECK(world.acquire(1, 2) == -EINVAL);
  CHECK(world.acquire(2, 1) == -EINVAL);
  CHECK(world.mfns[0] == World::untouched);
  CHECK(machine.allocations == 0);
}

TEST_CASE("the list has the frames that were asked for, and no more") {
  World world(128);
  REQUIRE(world.acquire(0, 3) == 3);
  CHECK(world.mfns == std::vector<xen_pfn_t>{harness::first_mfn, harness::first_mfn + 1,
                                             harness::first_mfn + 2, World::untouched});
  REQUIRE(world.acquire(1, 2) == 2);
  CHECK(world.mfns ==
        std::vector<xen_pfn_t>{harness::first_mfn + 1, harness::first_mfn + 2, World::untouched});
  REQUIRE(world.acquire(2, 1) == 1);
  CHECK(world.mfns == std::vector<xen_pfn_t>{harness::first_mfn + 2, World::untouched});
}

TEST_CASE("free gives all pages back and lets no writer in") {
  World world(128);
  REQUIRE(world.acquire(2, 1) == 1);
  REQUIRE(world.acquire(0, 1) == 1);
  world.free();
  CHECK(machine.pages_left == harness::pages_of_machine);
  CHECK(world.d.sched_state == nullptr);
}

TEST_CASE("a page that is mapped outlives its domain") {
  World world;
  REQUIRE(world.acquire() == 1);
  page_info& page = machine.pages[0];
  ++page.references; // of the mapping
  world.free();
  CHECK(page.owner == dom_xen);
  CHECK(page.references == 1);
  CHECK(page.u.inuse.type_info == 0); // otherwise Xen stops when the page is freed
  CHECK_FALSE(machine.mapped[0]);
  std::span const left(harness::memory_of(0), std::size_t{PAGE_SIZE}); // no data of the domain is left there
  CHECK(std::all_of(left.begin(), left.end(), [](std::byte b) { return b == std::byte{0}; }));
  put_page(&page); // it is unmapped
  CHECK(machine.pages_left == harness::pages_of_machine);
}
