// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/quota_books.h"

#include <algorithm>

namespace pegasus::memory {
QuotaBooks::QuotaBooks(QuotaLimits& limits, shared::SlotPages& pages, std::uint64_t accelerator_bytes)
    : limits_(limits), pages_(pages) {
  limits_.accelerator_bytes = accelerator_bytes;
}

void QuotaBooks::take(std::uint32_t slot, DomainId domain, Share share) {
  if (!places_.contains(domain)) {
    std::uint32_t const index = free_index();
    limits_.domain[index].max_bytes = 0; // drops the value of an earlier domain with this index
    places_.emplace(domain, Place{.index = index, .slots = 0});
  }
  Place& place = places_.at(domain);
  ++place.slots;
  set(domain, share);
  pages_[slot].claim.bytes = 0;
  limits_.domain_of[slot] = place.index;
  limits_.taken.add(slot);
}

void QuotaBooks::leave(std::uint32_t slot) {
  limits_.taken.remove(slot);
  pages_[slot].claim.bytes = 0;
  auto const place = std::ranges::find_if(
      places_, [&](auto const& entry) { return entry.second.index == limits_.domain_of[slot]; });
  if (--place->second.slots == 0) places_.erase(place);
}

void QuotaBooks::set(DomainId domain, Share share) {
  auto const place = places_.find(domain);
  if (place == places_.end()) return;
  QuotaUse const use = quota_use(limits_, pages_);
  QuotaLimits::Domain& its = limits_.domain[place->second.index];
  auto const most = [&](std::uint64_t before, std::uint64_t used) {
    return std::max(share.bytes, std::min(before, used));
  };
  its.max_bytes = most(its.max_bytes, use.of_domain[place->second.index]);
  its.limit_bytes = share.bytes;
  its.pooled = share.pooled ? 1 : 0;
  if (share.pooled) limits_.pool_most_bytes = most(limits_.pool_most_bytes, use.pooled);
}

std::uint64_t QuotaBooks::used_bytes() const { return quota_use(limits_, pages_).accelerator; }

std::uint64_t QuotaBooks::used_bytes(DomainId domain) const {
  auto const place = places_.find(domain);
  if (place == places_.end()) return 0;
  std::uint64_t const claimed = quota_use(limits_, pages_).of_domain[place->second.index];
  return std::min(claimed, limits_.domain[place->second.index].max_bytes.load());
}

std::uint64_t QuotaBooks::free_bytes(std::uint32_t slot) const {
  return Quota{.limits = &limits_, .pages = &pages_, .slot = slot}.free_bytes();
}

// There are as many indices as slots, and each domain here has a slot.
std::uint32_t QuotaBooks::free_index() const {
  auto const has = [this](std::uint32_t index) {
    return std::ranges::any_of(places_, [index](auto const& entry) { return entry.second.index == index; });
  };
  std::uint32_t index = 0;
  while (has(index))
    ++index;
  return index;
}

} // namespace pegasus::memory
