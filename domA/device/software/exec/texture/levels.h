// SPDX-License-Identifier: Apache-2.0
// Which levels of a mipmap a level of detail means. Any number is one: not a number is as 0.
#pragma once

#include "domA/device/texture.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace pegasus::software {

// A fetch without a level asks for this one, as the hardware's code for it does: the sampling's least level remains.
inline constexpr float base_level = -32;

struct LevelChoice {
  std::size_t first = 0;
  double share = 0; // of the next level; then there is one
};

[[nodiscard]] LevelChoice levels_for(float level, device::Sampling const&, std::size_t count, bool filtered);
// For a derivative by x and one by y of a position in texels.
[[nodiscard]] float level_for(std::array<double, 3> const& by_x, std::array<double, 3> const& by_y);

} // namespace pegasus::software
