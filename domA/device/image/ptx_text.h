// SPDX-License-Identifier: Apache-2.0
// PTX text told from other bytes, and what it was made for: its head only, the rest is the parser's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::image {

struct PtxTarget {
  std::uint32_t architecture = 0; // 75; 0 when the text names none
  bool exact = false;             // sm_90a, sm_100f: for that one only
  std::string_view suffix;        // "a", "f" or ""
};

// nullopt: not PTX, which begins with .version (after comments).
[[nodiscard]] std::optional<PtxTarget> target_of_ptx(std::string_view text);

} // namespace pegasus::image
