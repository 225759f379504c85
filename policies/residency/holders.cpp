// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/holders.h"

#include <iterator>

namespace pegasus::residency {

// A run begins at the slot.
void Holders::split(std::uint64_t slot) { from_.emplace(slot, std::prev(from_.upper_bound(slot))->second); }

Copies Holders::take(DomainId domain, Place const& place) {
  Copies copies;
  for (Extent const& extent : place) {
    split(extent.first);
    split(extent.end());
    auto const end = from_.find(extent.end());
    for (auto run = from_.find(extent.first); run != end; ++run) {
      std::uint64_t const length = std::next(run)->first - run->first;
      if (run->second == domain) continue;
      copies.in += length;
      if (run->second) copies.out += length;
    }
    from_.erase(std::next(from_.find(extent.first)), end);
    from_[extent.first] = domain;
  }
  return copies;
}

void Holders::forget(DomainId domain) {
  for (auto& [slot, holder] : from_)
    if (holder == domain) holder = std::nullopt;
}

} // namespace pegasus::residency
