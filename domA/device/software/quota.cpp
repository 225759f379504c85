// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/quota.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace pegasus::software {
namespace {

constexpr std::uint64_t without_limit = std::numeric_limits<std::uint64_t>::max();

// Two charges at once may each see the other's bytes and both step back although one would fit; trying again
// lets one pass. It is no wait: after this many encounters in a row the answer is no.
constexpr int attempts = 16;

void add(std::uint64_t& sum, std::uint64_t bytes) {
  if (__builtin_add_overflow(sum, bytes, &sum)) sum = without_limit;
}

} // namespace

QuotaUse quota_use(QuotaLimits const& limits, QuotaClaims const& claims) {
  QuotaUse use{};
  for (std::uint32_t part = 0; part < limits.taken.size(); ++part)
    for (std::uint64_t left = limits.taken[part]; left != 0; left &= left - 1) {
      auto const seat = part * 64 + static_cast<std::uint32_t>(std::countr_zero(left));
      add(use.of_domain[limits.domain_of[seat]], claims[seat].bytes);
    }
  std::uint64_t pooled = 0;
  std::uint64_t pool = 0; // its size is the limit of each domain that draws on it
  for (std::uint32_t i = 0; i < quota_seats; ++i) {
    if (use.of_domain[i] == 0) continue;
    QuotaLimits::Domain const& domain = limits.domain[i];
    std::uint64_t const counted = std::min(use.of_domain[i], domain.most_bytes.load());
    if (domain.pooled != 0) {
      add(pooled, counted);
      pool = std::max(pool, domain.most_bytes.load());
    } else {
      add(use.accelerator, counted);
    }
  }
  add(use.accelerator, std::min(pooled, pool));
  return use;
}

// Booked first, checked after: of two charges that together pass the limit at least one sees both, so the
// limit holds. Sequential consistency puts the bookings into one order that both see.
bool Quota::charge(std::uint64_t bytes) const {
  if (limits == nullptr) return true;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (bytes > free_bytes()) return false;
    own->bytes.fetch_add(bytes);
    QuotaUse const use = quota_use(*limits, *claims);
    std::uint32_t const domain = limits->domain_of[seat];
    if (use.of_domain[domain] <= limits->domain[domain].limit_bytes &&
        use.accelerator <= limits->accelerator_bytes)
      return true;
    release(bytes);
  }
  return false;
}

void Quota::release(std::uint64_t bytes) const {
  if (limits != nullptr) own->bytes.fetch_sub(std::min(bytes, own->bytes.load()));
}

std::uint64_t Quota::free_bytes() const {
  if (limits == nullptr) return without_limit;
  auto const left = [](std::uint64_t limit, std::uint64_t used) { return limit - std::min(limit, used); };
  QuotaUse const use = quota_use(*limits, *claims);
  std::uint32_t const domain = limits->domain_of[seat];
  return std::min(left(limits->domain[domain].limit_bytes, use.of_domain[domain]),
                  left(limits->accelerator_bytes, use.accelerator));
}

std::uint64_t Quota::total_bytes() const {
  if (limits == nullptr) return without_limit;
  return std::min(limits->domain[limits->domain_of[seat]].limit_bytes.load(),
                  limits->accelerator_bytes.load());
}

} // namespace pegasus::software
