// SPDX-License-Identifier: Apache-2.0
// The words between the name of a memory operation and its type: space, vector length, and hints.
#pragma once

#include "domA/device/ptx/module.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::software {

// Ordering, scope and caching have no effect: one thread executes everything in order.
[[nodiscard]] bool is_memory_hint(std::string_view word);
[[nodiscard]] ptx::Space space_named(std::string_view word); // none if it is not a space

struct MemoryWords {
  ptx::Space space = ptx::Space::none; // none: a generic address
  std::uint32_t count = 1;             // elements of the vector
  bool policy = false;                 // the last operand is a cache policy
};
// For ld and st. Returns nullopt if a word is unknown.
[[nodiscard]] std::optional<MemoryWords> memory_words(ptx::Instruction const&);

} // namespace pegasus::software
