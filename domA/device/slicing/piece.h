// SPDX-License-Identifier: Apache-2.0
// A piece of a launch, as it is passed to a sliced kernel.
#pragma once

#include <array>
#include <cstdint>

namespace pegasus::slicing {

using Dim3 = std::array<std::uint32_t, 3>; // blocks along x, y, z

// The last parameter of a sliced kernel; the layout in the device's memory is the same as here.
struct Piece {
  Dim3 offset; // the position of the piece's block (0,0,0) in the whole grid
  Dim3 grid;   // the size of the whole grid
};
static_assert(sizeof(Piece) == 24);

} // namespace pegasus::slicing
