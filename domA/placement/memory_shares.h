// SPDX-License-Identifier: Apache-2.0
// How much of an accelerator's memory each domain on it may take. A limit is also a promise: domains without
// a limit share what the others' limits leave, so limits are available whenever they are wanted. Limits of
// domains in use are always kept free (promises.h ensures that their sum fits). While a domain waits for its
// limit to fit, domains without a limit get no more than that would leave: the wait ends. Limits of domains
// that are not in use are kept free as well, if all of them fit in addition. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace pegasus::placement {

struct MemoryClaim {
  enum class Of : std::uint8_t { idle, waiting, in_use }; // domains
  std::uint64_t limit = 0;                                // bytes; 0: not set
  Of of = Of::idle;
};

// The share of each domain, in the same order.
[[nodiscard]] inline std::vector<std::uint64_t> memory_shares(std::uint64_t memory,
                                                              std::span<MemoryClaim const> claims) {
  std::uint64_t left = memory;
  for (MemoryClaim const& claim : claims)
    if (claim.of == MemoryClaim::Of::in_use) left -= std::min(claim.limit, left);
  for (MemoryClaim const& claim : claims)
    if (claim.of == MemoryClaim::Of::waiting) left = std::min(left, memory - std::min(claim.limit, memory));
  std::uint64_t besides = left;
  bool all_fit = true;
  for (MemoryClaim const& claim : claims)
    if (claim.of == MemoryClaim::Of::idle) {
      all_fit = all_fit && claim.limit <= besides;
      besides -= std::min(claim.limit, besides);
    }
  std::vector<std::uint64_t> result;
  for (MemoryClaim const& claim : claims)
    result.push_back(claim.limit != 0 ? std::min(claim.limit, memory) : all_fit ? besides : left);
  return result;
}

} // namespace pegasus::placement
