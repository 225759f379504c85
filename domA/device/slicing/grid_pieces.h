// SPDX-License-Identifier: Apache-2.0
// Divides a grid into pieces (FairGV 3.3.2: "a sub-kernel is executed by a specified number of thread
// blocks"). A piece is a box, because a launch is one: whole planes, or whole rows of one plane, or a part of
// one row, whichever is the largest with at most the wanted number of blocks. Blocks come in the order x, y,
// z, every one exactly once.
//
// The caller sets the number of blocks of a piece, and may change it between pieces: FairGV finds about 1,500
// to cost less than 5% (5.5.2, on a GPU of its time); the time of a block is known only after some have run.
// The rest of the row, plane or grid is divided evenly, so that no piece is much smaller than the others:
// each piece costs a launch whatever its size.
#pragma once

#include "domA/device/slicing/piece.h"

#include <optional>

namespace pegasus::slicing {

struct Box {
  Dim3 offset, size;
  bool operator==(Box const&) const = default;
};

class GridPieces {
public:
  // Any grid; a grid with a zero dimension has no pieces. Zero blocks count as one.
  GridPieces(Dim3 grid, std::uint64_t blocks_per_piece) : grid_(grid), wanted_(blocks_per_piece) {
    if (grid_[0] == 0 || grid_[1] == 0) grid_[2] = 0;
  }
  // From the next piece on.
  void set_blocks_per_piece(std::uint64_t blocks) { wanted_ = blocks; }
  // Returns nullopt when the whole grid was handed out.
  [[nodiscard]] std::optional<Box> next();

private:
  Dim3 grid_;
  std::uint64_t wanted_;
  Dim3 at_{}; // the first block not handed out
};

} // namespace pegasus::slicing
