// SPDX-License-Identifier: Apache-2.0
// Recognises PTX text, and reads its target. Only reads its head; the parser reads the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pegasus::image {

struct PtxTarget {
  std::uint32_t architecture = 0; // 75; 0 if the text names none
  bool exact = false;             // sm_90a, sm_100f: for that architecture only
  std::string_view suffix;        // "a", "f" or ""
};

// Returns nullopt if the text is not PTX, which begins with .version (after comments).
[[nodiscard]] std::optional<PtxTarget> target_of_ptx(std::string_view text);

} // namespace pegasus::image
