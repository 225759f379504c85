// SPDX-License-Identifier: Apache-2.0
// What stands between the name of a memory operation and its type: space, vector length, and hints.
#pragma once

#include "domA/device/ptx/module.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::software {

// Ordering, scope and caching have no meaning where one thread executes everything in order.
[[nodiscard]] bool is_memory_hint(std::string_view word);
[[nodiscard]] ptx::Space space_named(std::string_view word); // none: it is no space

struct MemoryWords {
  ptx::Space space = ptx::Space::none; // none: a generic address
  std::uint32_t count = 1;             // elements of the vector
};
// Of ld and st. Nothing: there is a word that is not known.
[[nodiscard]] std::optional<MemoryWords> memory_words(ptx::Instruction const&);

} // namespace pegasus::software
