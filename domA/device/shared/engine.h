// SPDX-License-Identifier: Apache-2.0
// The software accelerator's one execution engine. Every worker process of the accelerator maps the same
// EnginePage and takes its turn through its seat: one kernel at a time, fair round robin among the seats that
// wait, as the front end of a GPU does among its channels. Whoever submits longer kernels gets more of the
// device; scheduling proper is the policies' work, not this page's.
//
// A worker may die at any instruction (it is killed to stop a kernel) and may be hostile: it can write
// anything into the page. Death is repaired by evict(). Nonsense in the page can delay the others until the
// daemon evicts the culprit's seat, and can falsify the page's times, but can make nobody crash or reach
// outside the page. It delays nobody whose turn is exclusive: by the daemon's word on another page, that
// worker is alone, and takes the engine from whoever the page names.
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

// Shared memory; all zero bytes is a free engine. The layout is private to one version of the daemon and its
// workers.
struct EnginePage {
  struct alignas(64) Seat {
    std::atomic<std::uint32_t> parked; // futex word: 1 while this seat sleeps or is about to
    std::uint32_t reserved;
    std::atomic<std::uint64_t>
        since_ns; // start of this seat's hold by device_now(); 0: it does not hold the engine
  };

  // Low 16 bits: the owner's seat + 1, 0 when free (anything above seat_count is nonsense and means free).
  // High 48 bits: generation, one more with every change: a compare-and-swap that succeeds knows that nothing
  // happened since it looked. At one change a microsecond it wraps after nine years.
  alignas(64) std::atomic<std::uint64_t> owner;
  alignas(64) std::atomic<std::uint64_t> busy_ns;                              // all holds that have ended
  alignas(64) std::array<std::atomic<std::uint64_t>, seat_count / 64> waiting; // one bit a seat
  std::array<Seat, seat_count> seat;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);
static_assert(std::is_standard_layout_v<EnginePage> && std::is_trivially_destructible_v<EnginePage>);
static_assert(sizeof(EnginePage) == 64 * (1 + 1 + 2 + seat_count));

inline constexpr std::uint32_t no_seat = std::numeric_limits<std::uint32_t>::max();

// How long a waiter spins before it sleeps, and how often a sleeper looks again. Nothing correct depends on
// the second: it bounds how long a page that a hostile worker scribbled on can hold up a waiter whose bit or
// futex word was erased.
struct EngineTuning {
  std::uint32_t spins = 400; // a few microseconds: about what a futex wake-up costs
  Nanos recheck = std::chrono::seconds{1};
};

// One worker's place at the engine. For one thread. The page must outlive it.
class EngineSeat {
public:
  // seat < seat_count. `alone`, which only the daemon writes: while it is not 0, nobody else is to be
  // on the engine, and this seat waits for nobody.
  EngineSeat(EnginePage* page, std::uint32_t seat, EngineTuning tuning = {},
             std::atomic<std::uint32_t> const* alone = nullptr);
  EngineSeat(EngineSeat const&) = delete;
  EngineSeat& operator=(EngineSeat const&) = delete;

  void acquire();  // returns when this seat owns the engine, or is alone; not while it already owns it
  Nanos release(); // passes the engine to the next waiting seat, as far as the page lets it be passed on;
                   // returns how long it was held

private:
  void park();
  [[nodiscard]] bool alone() const { return alone_ != nullptr && alone_->load() != 0; }

  EnginePage* page_;
  std::uint32_t seat_;
  EngineTuning tuning_;
  std::atomic<std::uint32_t> const* alone_;
  Nanos since_{};
};

// For the daemon. The worker in that seat is dead: takes it out of the queue and, when it owned the engine or
// the engine had been handed to it, passes the engine on. Call it before the seat is given to another worker.
// It is also safe for a seat nobody sits in. false: the page changes faster than it can be repaired, which
// only a hostile worker does; evict again when that one is killed.
bool evict(EnginePage& page, std::uint32_t seat);

[[nodiscard]] std::uint32_t owner(EnginePage const& page); // no_seat: free
// When the present owner's hold began (device_now()'s clock); 0: free, or handed over and not yet taken.
[[nodiscard]] Nanos busy_since(EnginePage const& page);
// All time the engine was held, the present hold included. Only as true as the workers: bound its change by
// the clock.
[[nodiscard]] Nanos busy_total(EnginePage const& page);

} // namespace pegasus::shared
