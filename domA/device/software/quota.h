// SPDX-License-Identifier: Apache-2.0
// A bound on device memory that several worker processes draw on: one for each domain, one for the whole
// accelerator. Lives in shared memory that the daemon sets up; all zero bytes is a quota of nothing.
//
// Each worker books on the word of its own seat, and what is used is the sum of all words. So a worker may be
// killed at any instruction: the daemon clears its word (evict), and what remains is exact.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace pegasus::software {

struct Quota {
  static constexpr std::uint32_t seats = 1024; // as EnginePage::seats

  // The daemon may change it at any time; below what is used it stops new charges.
  std::atomic<std::uint64_t> limit_bytes{0};
  std::array<std::atomic<std::uint64_t>, seats> charged{}; // bytes, by seat

  // All of `bytes` or, when that would pass the limit, nothing and false. seat < seats.
  [[nodiscard]] bool charge(std::uint32_t seat, std::uint64_t bytes);
  void release(std::uint32_t seat, std::uint64_t bytes);
  // For the daemon: the worker in that seat is dead, or nobody sits there yet.
  void evict(std::uint32_t seat);
  [[nodiscard]] std::uint64_t used_bytes() const; // saturates, whatever a hostile worker wrote
  [[nodiscard]] std::uint64_t free_bytes() const;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::is_standard_layout_v<Quota> && std::is_trivially_destructible_v<Quota>);

} // namespace pegasus::software
