// SPDX-License-Identifier: Apache-2.0
// The order of the line for the engine, as its workers and pegasusd read it.
#pragma once

#include "domA/device/shared/shared_pages.h"

namespace pegasus::shared {

inline constexpr std::uint64_t taking_ticket = 1; // of EnginePlace::ticket: before every time

struct InLine {
  std::uint64_t ticket; // 0: not in the line
  std::uint32_t slot;
};
[[nodiscard]] constexpr bool comes_before(InLine a, InLine b) {
  return a.ticket != 0 && (a.ticket != b.ticket ? a.ticket < b.ticket : a.slot < b.slot);
}

} // namespace pegasus::shared
