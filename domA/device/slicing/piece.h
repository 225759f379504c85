// SPDX-License-Identifier: Apache-2.0
// A piece of a launch, as a sliced kernel is told of it.
#pragma once

#include <array>
#include <cstdint>

namespace pegasus::slicing {

using Dim3 = std::array<std::uint32_t, 3>; // blocks along x, y, z

// The last parameter of a sliced kernel, in the device's memory as here.
struct Piece {
  Dim3 offset; // where the piece's block (0,0,0) stands in the whole grid
  Dim3 grid;   // the whole grid's size
};
static_assert(sizeof(Piece) == 24);

} // namespace pegasus::slicing
