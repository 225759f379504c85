// SPDX-License-Identifier: Apache-2.0
// Bounds on device memory that the worker processes of one accelerator draw on: one for each domain, one for
// the whole accelerator. In two areas of shared memory: the limits, which only pegasusd writes, and the
// claims, a page for each seat, which only the worker in that seat writes. What is used is the sum of the
// claims.
//
// A worker may be killed at any instruction: pegasusd clears its claim (quota_books.h), and what remains is
// exact. A hostile worker writes its own claim alone: with a high one its own domain is refused memory, and
// others nothing that the domain could not have taken; with a low one it hides what it has.
#pragma once

#include "domA/device/shared/shared_pages.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace pegasus::shared {

// All zero bytes: nobody has a seat, and there is no memory.
struct QuotaLimits {
  struct Domain {
    std::atomic<std::uint64_t> limit_bytes;
    // That its claims count for: its limit, or what it had taken of a larger one before.
    std::atomic<std::uint64_t> most_bytes;
    std::atomic<std::uint32_t> pooled; // 1: it has no limit of its own, and shares this one with all such
  };
  std::atomic<std::uint64_t> accelerator_bytes;
  std::atomic<std::uint64_t> pool_most_bytes; // as most_bytes, of those that share a limit together
  std::array<std::atomic<std::uint64_t>, seat_count / 64> taken; // one bit a seat
  std::array<std::atomic<std::uint32_t>, seat_count> domain_of;  // a taken seat's: an index of `domain`
  std::array<Domain, seat_count> domain;
};

struct alignas(4096) QuotaClaim {
  std::atomic<std::uint64_t> bytes;
};
using QuotaClaims = std::array<QuotaClaim, seat_count>;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::is_standard_layout_v<QuotaLimits> && std::is_trivially_destructible_v<QuotaLimits>);
static_assert(sizeof(QuotaClaims) == 4096 * seat_count);

// In bytes. Saturates, whatever a hostile worker claims.
struct QuotaUse {
  std::array<std::uint64_t, seat_count> of_domain; // what its workers claim, by index of `domain`
  std::uint64_t pooled = 0;                        // of those that share a limit, each up to its most
  std::uint64_t accelerator = 0;                   // each domain's, and the pool's, up to its most
};
[[nodiscard]] QuotaUse quota_use(QuotaLimits const& limits, QuotaClaims const& claims);

// A worker's view of its bounds. The areas outlive it.
struct Quota {
  QuotaLimits const* limits = nullptr; // null: unlimited, and the others are not looked at
  QuotaClaims const* claims = nullptr;
  QuotaClaim* own = nullptr;
  std::uint32_t seat = 0; // < seat_count, and taken

  // All of `bytes` or, when a limit would be passed, nothing and false.
  [[nodiscard]] bool charge(std::uint64_t bytes) const;
  void release(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t free_bytes() const;  // the least that the domain or the accelerator has left
  [[nodiscard]] std::uint64_t total_bytes() const; // the least of both limits
};

} // namespace pegasus::shared
