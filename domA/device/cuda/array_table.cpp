// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/array_table.h"

#include <iterator>
#include <utility>

namespace pegasus::cuda {

device::Address ArrayTable::add(DriverArray array) {
  constexpr std::uint64_t gap = 1 << 16; // at least, between two arrays
  ArrayLevel const& last = array.levels.back();
  std::uint64_t const bytes = last.offset + last.grid.bytes();
  device::Address const base = next_;
  device::Address behind = 0;
  if (__builtin_add_overflow(base, bytes / gap * gap + 2 * gap, &behind)) return 0;
  next_ = behind;
  arrays_.emplace(base, std::move(array));
  return base;
}

DriverArray const* ArrayTable::find(device::Address base) const {
  auto const found = arrays_.find(base);
  return found == arrays_.end() ? nullptr : &found->second;
}

std::optional<InLevel> ArrayTable::at(device::Address address) const {
  auto const after = arrays_.upper_bound(address);
  if (after == arrays_.begin()) return std::nullopt;
  auto const& [base, array] = *std::prev(after);
  for (ArrayLevel const& level : array.levels) {
    device::Address const first = base + level.offset;
    if (address >= first && address - first < level.grid.bytes())
      return InLevel{&array, &level, address - first};
  }
  return std::nullopt;
}

} // namespace pegasus::cuda
