// SPDX-License-Identifier: Apache-2.0
// The software accelerator's one execution engine. Every worker process of the accelerator maps the same
// EnginePage and is served through its slot: one kernel at a time, round robin among the slots that
// wait, like the front end of a GPU among its channels. A worker that submits longer kernels gets more of the
// device; the policies do the actual scheduling, not this page.
//
// A worker may die at any instruction (it is killed to stop a kernel) and may be hostile: it can write
// anything into the page. evict() repairs a death. Invalid values in the page can delay other workers
// until the daemon evicts the hostile worker's slot, and can falsify the page's times, but can make no
// process crash or access memory outside the page. They cannot delay a worker that has an exclusive time
// slice: by the daemon's word on another page, that worker is alone, and takes the engine from the slot
// that the page names.
#pragma once

#include "domA/device/shared/shared_pages.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace pegasus::shared {

using Nanos = std::chrono::nanoseconds;

// Shared memory; all zero bytes is a free engine. The layout is private to one version of the daemon
// and its workers.
struct EnginePage {
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> parked; // futex word: 1 while this slot sleeps or is about to
    std::uint32_t reserved;
    // Start of this slot's hold by device_now(); 0: it does not hold the engine.
    std::atomic<std::uint64_t> since_ns;
  };

  // Low 16 bits: the owner's slot + 1; 0 if free (a value above slot_count is invalid and means free). High
  // 48 bits: generation, incremented with every change. A compare-and-swap that succeeds thus proves that
  // nothing changed since the read. At one change a microsecond it wraps after nine years.
  alignas(64) std::atomic<std::uint64_t> owner;
  alignas(64) std::atomic<std::uint64_t> busy_ns; // all holds that have ended
  std::atomic<std::uint64_t> last;                // the last owner's slot + 1; 0: none, or it is dead
  std::atomic<std::uint64_t> switches;            // changes from one owner to another
  std::atomic<std::uint64_t> switching_ns;        // ... and what they took
  alignas(64) std::array<std::atomic<std::uint64_t>, slot_count / 64> waiting; // one bit a slot
  std::array<Slot, slot_count> slot;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::is_standard_layout_v<EnginePage> && std::is_trivially_destructible_v<EnginePage>);
static_assert(sizeof(EnginePage) == 64 * (1 + 1 + 2 + slot_count));

inline constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

// How long a waiter spins before it sleeps, and how often a sleeper checks again. Correctness does not depend
// on the second: it bounds the delay of a waiter whose bit or futex word a hostile worker erased.
struct EngineTuning {
  std::uint32_t spins = 400; // a few microseconds: about what a futex wake-up costs
  Nanos recheck = std::chrono::seconds{1};
  // What it takes to change the owner, as on a device that restores a context. The new owner spins for that
  // long before its hold begins.
  Nanos switch_cost{0};
};

// One worker's place at the engine. For one thread. The page must outlive it.
class EngineClient {
public:
  // slot < slot_count. `alone` is written only by the daemon: while it is not 0, no other worker may be on
  // the engine, and this slot does not wait.
  EngineClient(EnginePage* page, std::uint32_t slot, EngineTuning tuning = {},
               std::atomic<std::uint32_t> const* alone = nullptr);
  EngineClient(EngineClient const&) = delete;
  EngineClient& operator=(EngineClient const&) = delete;

  // Returns when this slot owns the engine, or is alone. Do not call it while the slot owns the engine.
  void acquire();
  // Passes the engine to the next waiting slot, if the page permits it; returns how long it was held.
  Nanos release();

private:
  void park();
  void change_owner();
  [[nodiscard]] bool alone() const { return alone_ != nullptr && alone_->load() != 0; }

  EnginePage* page_;
  std::uint32_t slot_;
  EngineTuning tuning_;
  std::atomic<std::uint32_t> const* alone_;
  Nanos since_{};
};

// For the daemon, when the worker in that slot is dead: takes it out of the queue and, if it owned the engine
// or the engine had been passed to it, passes the engine on. Call it before the slot is given to another
// worker. It is also safe for an empty slot. Returns false if the page changes faster than it can be
// repaired, which only a hostile worker causes; evict again when that worker is killed.
bool evict(EnginePage& page, std::uint32_t slot);

[[nodiscard]] std::uint32_t owner(EnginePage const& page); // no_slot: free
// When the present owner's hold began (device_now()'s clock); 0: free, or passed on and not yet taken.
[[nodiscard]] Nanos busy_since(EnginePage const& page);
// Changes of the owner, and the time that they took. Workers can falsify both.
struct Switches {
  std::uint64_t count;
  Nanos time;
};
[[nodiscard]] Switches switches(EnginePage const& page);
// All time the engine was held, including the present hold. Workers can falsify it: bound its change
// by the clock.
[[nodiscard]] Nanos busy_total(EnginePage const& page);

} // namespace pegasus::shared
