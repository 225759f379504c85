// SPDX-License-Identifier: Apache-2.0
// Limits on device memory for the worker processes of one accelerator: one for each domain, and one for the
// whole accelerator. They are in shared memory: the limits, which only pegasusd writes, and a claim in each
// slot's page (shared_pages.h). The memory in use is the sum of the claims.
//
// A worker may be killed at any instruction: pegasusd clears its claim (quota_books.h), and the sum is
// exact again. A hostile worker can only write its own claim. If the claim is too high, its own domain is
// refused memory, and other domains lose no more than the domain could have taken; if it is too low, it
// hides memory in use.
#pragma once

#include "domA/device/shared/shared_pages.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace pegasus::memory {

// All zero bytes: no slot is taken, and there is no memory.
struct QuotaLimits {
  struct Domain {
    std::atomic<std::uint64_t> limit_bytes;
    // The upper bound of what its claims count for: its limit, or what it had in use under a
    // larger limit before.
    std::atomic<std::uint64_t> max_bytes;
    std::atomic<std::uint32_t> pooled; // 1: it has no own limit and shares this one with all such domains
  };
  std::atomic<std::uint64_t> accelerator_bytes;
  std::atomic<std::uint64_t> pool_most_bytes; // as max_bytes, for all domains that share a limit
  shared::SlotBits taken;
  // Of a taken slot: an index into `domain`.
  std::array<std::atomic<std::uint32_t>, shared::slot_count> domain_of;
  std::array<Domain, shared::slot_count> domain;
};

static_assert(std::is_standard_layout_v<QuotaLimits> && std::is_trivially_destructible_v<QuotaLimits>);

// In bytes. Saturates if a hostile worker claims too much.
struct QuotaUse {
  // The sum of its workers' claims, by index into `domain`.
  std::array<std::uint64_t, shared::slot_count> of_domain;
  std::uint64_t pooled = 0;      // of the domains that share a limit, each up to its max_bytes
  std::uint64_t accelerator = 0; // of each domain and of the pool, up to their max_bytes
};
[[nodiscard]] QuotaUse quota_use(QuotaLimits const& limits, shared::SlotPages const& pages);

// A worker's view of its limits. The areas must outlive it.
struct Quota {
  QuotaLimits const* limits = nullptr; // nullptr: unlimited, and the other fields are ignored
  shared::SlotPages const* pages = nullptr;
  shared::QuotaClaim* own = nullptr;
  std::uint32_t slot = 0; // < shared::slot_count, and taken

  // Charges all of `bytes` or, if this would exceed a limit, nothing, and returns false.
  [[nodiscard]] bool charge(std::uint64_t bytes) const;
  void release(std::uint64_t bytes) const;
  [[nodiscard]] std::uint64_t free_bytes() const;  // the smaller of the domain's and the accelerator's rest
  [[nodiscard]] std::uint64_t total_bytes() const; // the smaller of both limits
  // The free bytes that a program may know: what its domain's limit leaves, or of a limit that it shares, with other
  // domains' use rounded up. `on_device`: of those that are free on the device, rounded down.
  [[nodiscard]] std::uint64_t
  told_free_bytes(std::uint64_t on_device = std::numeric_limits<std::uint64_t>::max()) const;
  // What is told of others' use on an accelerator of that many bytes is a multiple of this.
  [[nodiscard]] static std::uint64_t grain(std::uint64_t accelerator_bytes);
  // For the program's user, after `bytes` more were refused: whose limit that is, and how to change it. Tells nothing
  // of other domains' use. Empty if they are not refused now.
  [[nodiscard]] std::string why_refused(std::uint64_t bytes) const;
};

} // namespace pegasus::memory
