// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/quota.h"

#include <algorithm>
#include <limits>

namespace pegasus::software {
namespace {

// Two charges at once may each see the other's bytes and both step back although one would fit; trying again
// lets one pass. It is no wait: after this many encounters in a row the answer is no.
constexpr int attempts = 16;

} // namespace

// Booked first, checked after: of two charges that together pass the limit at least one sees both, so the
// limit holds. Sequential consistency puts the bookings into one order that both see.
bool Quota::charge(std::uint32_t seat, std::uint64_t bytes) {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (bytes > free_bytes()) return false;
    charged[seat].fetch_add(bytes);
    if (used_bytes() <= limit_bytes.load()) return true;
    release(seat, bytes);
  }
  return false;
}

void Quota::release(std::uint32_t seat, std::uint64_t bytes) {
  std::uint64_t booked = charged[seat].load();
  while (!charged[seat].compare_exchange_weak(booked, booked - std::min(booked, bytes)))
    ;
}

void Quota::evict(std::uint32_t seat) { charged[seat].store(0); }

std::uint64_t Quota::used_bytes() const {
  std::uint64_t sum = 0;
  for (auto const& booked : charged)
    if (__builtin_add_overflow(sum, booked.load(), &sum)) return std::numeric_limits<std::uint64_t>::max();
  return sum;
}

std::uint64_t Quota::free_bytes() const {
  std::uint64_t const limit = limit_bytes.load();
  return limit - std::min(limit, used_bytes());
}

} // namespace pegasus::software
