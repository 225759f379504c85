// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/quota.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace pegasus::memory {
namespace {

constexpr std::uint64_t without_limit = std::numeric_limits<std::uint64_t>::max();

// Two concurrent charges may each see the other's bytes and both withdraw although one would fit; a retry
// lets one succeed. This does not wait: after this many encounters in a row the charge fails.
constexpr int attempts = 16;

void add(std::uint64_t& sum, std::uint64_t bytes) {
  if (__builtin_add_overflow(sum, bytes, &sum)) sum = without_limit;
}

// What counts towards the limit of a slot's domain.
std::uint64_t used_of_limit(QuotaLimits const& limits, QuotaUse const& use, std::uint32_t slot) {
  std::uint32_t const domain = limits.domain_of[slot];
  return limits.domain[domain].pooled != 0 ? std::max(use.of_domain[domain], use.pooled)
                                           : use.of_domain[domain];
}

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::uint64_t limit_of(QuotaLimits const& limits, std::uint32_t slot) {
  return limits.domain[limits.domain_of[slot]].limit_bytes;
}

} // namespace

QuotaUse quota_use(QuotaLimits const& limits, shared::SlotPages const& pages) {
  QuotaUse use{};
  std::uint32_t domains = 0; // domains use the lowest free indices
  shared::for_each_slot(limits.taken, [&](std::uint32_t slot) {
    std::uint32_t const domain = limits.domain_of[slot];
    add(use.of_domain[domain], pages[slot].claim.bytes);
    domains = std::max(domains, domain + 1);
  });
  for (std::uint32_t i = 0; i < domains; ++i) {
    QuotaLimits::Domain const& domain = limits.domain[i];
    std::uint64_t const counted = std::min(use.of_domain[i], domain.max_bytes.load());
    add(domain.pooled != 0 ? use.pooled : use.accelerator, counted);
  }
  add(use.accelerator, std::min(use.pooled, limits.pool_most_bytes.load()));
  return use;
}

// Adds first and checks afterwards: of two charges that together exceed the limit at least one sees both, so
// the limit holds. Sequential consistency gives the additions one order that both see.
bool Quota::charge(std::uint64_t bytes) const {
  if (limits == nullptr) return true;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (bytes > free_bytes()) return false;
    own->bytes.fetch_add(bytes);
    QuotaUse const use = quota_use(*limits, *pages);
    if (used_of_limit(*limits, use, slot) <= limit_of(*limits, slot) &&
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
  QuotaUse const use = quota_use(*limits, *pages);
  return std::min(left(limit_of(*limits, slot), used_of_limit(*limits, use, slot)),
                  left(limits->accelerator_bytes, use.accelerator));
}

std::uint64_t Quota::told_free_bytes(std::uint64_t on_device) const {
  if (limits == nullptr) return on_device;
  QuotaUse const use = quota_use(*limits, *pages);
  std::uint64_t const step = grain(limits->accelerator_bytes);
  std::uint64_t const of_own = use.of_domain[limits->domain_of[slot]];
  std::uint64_t const of_others = used_of_limit(*limits, use, slot) - of_own;
  std::uint64_t used = of_own;
  add(used, of_others / step * step + (of_others % step != 0 ? step : 0));
  std::uint64_t const limit = limit_of(*limits, slot);
  return std::min(on_device / step * step, limit - std::min(limit, used));
}

std::uint64_t Quota::grain(std::uint64_t accelerator_bytes) {
  return std::clamp<std::uint64_t>(std::bit_floor(accelerator_bytes / 64), 1, std::uint64_t{64} << 20);
}

std::uint64_t Quota::total_bytes() const {
  if (limits == nullptr) return without_limit;
  return std::min(limit_of(*limits, slot), limits->accelerator_bytes.load());
}

std::string Quota::why_refused(std::uint64_t bytes) const {
  if (limits == nullptr || bytes <= free_bytes()) return {};
  QuotaLimits::Domain const& domain = limits->domain[limits->domain_of[slot]];
  QuotaUse const use = quota_use(*limits, *pages);
  std::uint64_t const used = used_of_limit(*limits, use, slot);
  std::uint64_t const limit = domain.limit_bytes;
  std::string const asked = fmt::format("out of memory: the program asks for {}", mebibytes(bytes));
  if (used <= limit && bytes <= limit - used)
    return fmt::format(
        "{}, and the accelerator has less left of its {} for all domains together (pegasusd --memory)", asked,
        mebibytes(limits->accelerator_bytes));
  if (domain.pooled != 0)
    return fmt::format(
        "{}, and less is left of what other domains' limits do not keep; a limit of its own keeps "
        "memory for a domain: pegasusctl set DOMAIN memory=SIZE",
        asked);
  return fmt::format(
      "{}, and has {} of its domain's limit of {} left; pegasusctl set DOMAIN memory=SIZE changes it", asked,
      mebibytes(limit - std::min(limit, used)), mebibytes(limit));
}

} // namespace pegasus::memory
