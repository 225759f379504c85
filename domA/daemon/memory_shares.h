// SPDX-License-Identifier: Apache-2.0
// How much of an accelerator's memory each domain on it may take. A limit that was set is also a promise: who
// has none shares what the others' limits leave, so that these can be had whenever they are wanted. Limits
// that add up to more than there is promise nothing; then who has none may take whatever is free. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace pegasus::daemon {

// `set`: the domains' limits in bytes, 0: none was set. What each of them may take, in the same order.
[[nodiscard]] inline std::vector<std::uint64_t> memory_shares(std::uint64_t memory,
                                                              std::span<const std::uint64_t> set) {
  std::uint64_t left = memory;
  bool kept = true;
  for (std::uint64_t const limit : set) {
    kept = kept && limit <= left;
    left -= std::min(limit, left);
  }
  std::vector<std::uint64_t> result;
  for (std::uint64_t const limit : set)
    result.push_back(limit != 0 ? std::min(limit, memory) : kept ? left : memory);
  return result;
}

} // namespace pegasus::daemon
