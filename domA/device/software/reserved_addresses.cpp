// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/reserved_addresses.h"

#include <algorithm>
#include <iterator>

namespace pegasus::software {

ReservedAddresses::ReservedAddresses(device::Range all) {
  if (all.bytes != 0) free_.emplace(all.base, all.bytes);
}

device::Address ReservedAddresses::fit(Free::value_type const& free, std::uint64_t bytes,
                                       std::uint64_t alignment, device::Address from) {
  auto const [base, room] = free;
  device::Address at = std::max(base, from);
  if (__builtin_add_overflow(at, alignment - 1, &at)) return 0;
  at -= at % alignment;
  return at - base < room && bytes <= room - (at - base) ? at : 0;
}

void ReservedAddresses::cut(Free::iterator free, device::Range taken) {
  auto const [base, room] = *free;
  free_.erase(free);
  if (taken.base != base) free_.emplace(base, taken.base - base);
  std::uint64_t const behind = base + room - (taken.base + taken.bytes);
  if (behind != 0) free_.emplace(taken.base + taken.bytes, behind);
}

device::Address ReservedAddresses::take(std::uint64_t bytes, std::uint64_t alignment, device::Address hint) {
  if (auto at = free_.upper_bound(hint); hint != 0 && at != free_.begin())
    if (fit(*--at, bytes, alignment, hint) == hint) {
      cut(at, {hint, bytes});
      return hint;
    }
  for (auto at = free_.begin(); at != free_.end(); ++at)
    if (device::Address const base = fit(*at, bytes, alignment, 0); base != 0) {
      cut(at, {base, bytes});
      return base;
    }
  return 0;
}

void ReservedAddresses::give_back(device::Range taken) {
  auto behind = free_.lower_bound(taken.base);
  if (behind != free_.begin())
    if (auto const before = std::prev(behind); before->first + before->second == taken.base) {
      taken = {before->first, before->second + taken.bytes};
      free_.erase(before);
    }
  if (behind != free_.end() && taken.base + taken.bytes == behind->first) {
    taken.bytes += behind->second;
    free_.erase(behind);
  }
  free_.emplace(taken.base, taken.bytes);
}

} // namespace pegasus::software
