/* SPDX-License-Identifier: GPL-2.0-only */
// A domain, its vCPUs and a scheduler on the machine of machine.h, for the tests.
#pragma once

#include "xen-patches/harness/machine.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace harness {

// Returns the credit and priority that a test sets, and lets it check the slot in the middle of the write.
struct Scheduler : scheduler {
  std::int32_t credit = 0;
  std::uint16_t priority = 0;
  mutable unsigned calls = 0;
  mutable sched_unit const* unit = nullptr; // of the last call
  mutable s_time_t now = 0;
  std::function<void(xen_sched_state_vcpu const&)> look;

  Scheduler() : scheduler{give} {}
  static void give(scheduler const* base, sched_unit const* unit, s_time_t now, xen_sched_state_vcpu* slot) {
    auto const& self = static_cast<Scheduler const&>(*base);
    ++self.calls;
    self.unit = unit;
    self.now = now;
    if (self.look) self.look(*slot);
    slot->credit = self.credit;
    slot->priority = self.priority;
  }
};

// A domain of `count` blocked vCPUs on two pCPUs. There is one machine: only one World may exist at a time.
struct World {
  Scheduler sched;
  std::array<spinlock_t, 2> locks{};
  std::array<sched_resource, 2> resources{};
  std::vector<sched_unit> units;
  std::vector<vcpu> vcpus;
  std::vector<vcpu*> by_id;
  domain d{};

  explicit World(unsigned count = 4) : units(count), vcpus(count), by_id(count) {
    machine = {};
    sched_res_rculock = {};
    for (unsigned cpu = 0; cpu < resources.size(); ++cpu) {
      resources[cpu] = {&sched, &locks[cpu]};
      machine.resources.push_back(&resources[cpu]);
    }
    d.domain_id = 7;
    d.max_vcpus = count;
    d.vcpu = by_id.data();
    for (unsigned id = 0; id < count; ++id) {
      unsigned const cpu = id % 2;
      vcpus[id] = {id, cpu, &d, &units[id], 0, {}};
      vcpus[id].runstate = {RUNSTATE_blocked, 100 + id, {1, 2, 3, id}};
      by_id[id] = &vcpus[id];
    }
  }
  ~World() {
    CHECK_FALSE(d.domain_lock.locked);
    CHECK_FALSE((locks[0].locked || locks[1].locked));
    CHECK_FALSE(machine.irqs_off);
    CHECK(sched_res_rculock.readers == 0);
    CHECK_NOTHROW(free());
    CHECK(machine.pages_left == pages_of_machine);
    CHECK(machine.arrays == 0);
  }

  void free() { // as sched_destroy_domain() does
    if (d.sched_state) sched_state_free(&d);
  }

  int acquire_once(unsigned frame, unsigned count) {
    mfns.assign(count + 1, untouched);
    return sched_state_acquire(&d, frame, count, mfns.data());
  }
  // Repeats until all frames are acquired, like XENMEM_acquire_resource.
  int acquire(unsigned frame, unsigned count) {
    mfns.assign(count + 1, untouched);
    for (unsigned done = 0; done < count;) {
      int const rc = sched_state_acquire(&d, frame + done, count - done, &mfns[done]);
      if (rc <= 0) return rc;
      done += static_cast<unsigned>(rc);
    }
    return static_cast<int>(count);
  }
  int acquire() { return acquire(0, 1); }
  // write(): the vCPU remains in its state. change(): it enters another state.
  void write(unsigned id, s_time_t now) { change(id, vcpus[id].runstate.state, now); }
  void change(unsigned id, int state, s_time_t now) {
    spinlock_t& lock = locks[vcpus[id].processor];
    spin_lock(&lock);
    if (d.sched_state) sched_state_write(&vcpus[id], state, now);
    spin_unlock(&lock);
  }
  xen_sched_state_hdr const& header() const { return *static_cast<xen_sched_state_hdr*>(d.sched_state[0]); }
  xen_sched_state_vcpu& slot(unsigned id) const {
    return static_cast<xen_sched_state_vcpu*>(d.sched_state[(id + 1) / 64])[(id + 1) % 64];
  }
  // Valid only if the frames were acquired in order: the machine allocates its pages in order.
  std::span<std::byte const> bytes() const {
    return {memory_of(0), machine.allocations * static_cast<std::size_t>(PAGE_SIZE)};
  }

  static constexpr xen_pfn_t untouched = ~xen_pfn_t{0};
  std::vector<xen_pfn_t> mfns; // one more than asked for
};

} // namespace harness
