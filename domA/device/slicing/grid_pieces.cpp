// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/grid_pieces.h"

#include <algorithm>

namespace pegasus::slicing {
namespace {

// Splits `left` into as few parts of at most `most` as possible; returns the size of the first if all
// are about equal.
std::uint32_t share(std::uint32_t left, std::uint64_t most) {
  if (most >= left) return left;
  std::uint64_t const parts = (left + most - 1) / most;
  return static_cast<std::uint32_t>((left + parts - 1) / parts);
}

} // namespace

std::optional<Box> GridPieces::next() {
  if (at_[2] >= grid_[2]) return std::nullopt;
  std::uint64_t const wanted = std::max<std::uint64_t>(wanted_, 1);
  std::uint64_t const row = grid_[0];
  std::uint64_t const plane = row * grid_[1]; // below 2^64
  Box box{at_, {grid_[0], grid_[1], 1}};
  if (at_[0] != 0 || wanted < row) {
    box.size = {share(grid_[0] - at_[0], wanted), 1, 1};
  } else if (at_[1] != 0 || wanted < plane) {
    box.size[1] = share(grid_[1] - at_[1], wanted / row);
  } else {
    box.size[2] = share(grid_[2] - at_[2], wanted / plane);
  }
  // Advances along the first direction that the box does not fill.
  at_[0] += box.size[0];
  if (at_[0] < grid_[0]) return box;
  at_[0] = 0;
  at_[1] += box.size[1];
  if (at_[1] < grid_[1]) return box;
  at_[1] = 0;
  at_[2] += box.size[2];
  return box;
}

} // namespace pegasus::slicing
