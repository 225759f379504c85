// SPDX-License-Identifier: Apache-2.0
// Divides a grid into pieces (FairGV 3.3.2: "a sub-kernel is executed by a specified number of thread
// blocks"). A piece is a box, since a launch is one: whole planes, or whole rows of one plane, or a part of
// one row, whichever is the largest that holds at most the wanted number of blocks. Blocks come in the order
// x, y, z, every one exactly once.
//
// How many blocks a piece should have is the caller's to say, and to change from piece to piece: FairGV finds
// about 1,500 to cost less than 5% (5.5.2, on a GPU of its time); what a block takes is known only once some
// have run. What is left of the row, plane or grid is shared out evenly, so that no piece is much smaller
// than the others: a piece costs a launch whatever its size.
#pragma once

#include "domA/device/slicing/piece.h"

#include <optional>

namespace pegasus::slicing {

struct Box {
  Dim3 offset, size;
  bool operator==(Box const&) const = default;
};

class Cut {
public:
  // Any grid; one with a zero in it has no pieces. Zero blocks count as one.
  Cut(Dim3 grid, std::uint64_t blocks_per_piece) : grid_(grid), wanted_(blocks_per_piece) {
    if (grid_[0] == 0 || grid_[1] == 0) grid_[2] = 0;
  }
  // From the next piece on.
  void set_blocks_per_piece(std::uint64_t blocks) { wanted_ = blocks; }
  // nullopt: the whole grid was handed out.
  [[nodiscard]] std::optional<Box> next();

private:
  Dim3 grid_;
  std::uint64_t wanted_;
  Dim3 at_{}; // the first block not handed out
};

} // namespace pegasus::slicing
