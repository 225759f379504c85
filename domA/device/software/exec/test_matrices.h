// SPDX-License-Identifier: Apache-2.0
// For tests of mma: its operands as matrices, and its registers from them by a given layout.
#pragma once

#include "domA/device/software/exec/handler_table.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pegasus::software::test {

struct At {
  int row, column;
};

// The elements that one lane holds, low to high.
struct LaneLayout {
  int count, bits;
  std::function<At(int lane, int i)> place;
  [[nodiscard]] std::size_t registers() const { return static_cast<std::size_t>(count * bits / 32); }
};

struct MmaForm {
  std::string words; // behind mma.sync.aligned
  int m, n, k;
  LaneLayout a, b, c, d;
  std::uint32_t target = 75;
};

// A matrix as bits of elements, row by row.
struct Bits {
  int columns;
  std::vector<std::uint32_t> values;
  std::uint32_t& at(At place) { return values[static_cast<unsigned>(place.row * columns + place.column)]; }
};

// "{%r4,%r5}"
std::string register_list(std::size_t first, std::size_t count);

// The lowest `width` bits.
std::uint32_t low_bits(std::uint32_t value, int width);

struct Matrices {
  Bits a, b, c;
};

using Draw = std::function<std::uint32_t()>;
// Operands of random elements. The quad pairs of m8n8k4 have a product each; otherwise there is one.
std::vector<Matrices> drawn(MmaForm const&, Draw const& factor, Draw const& accumulator);
// The results of one warp.
std::vector<Bits> run_mma(MmaForm const&, std::vector<Matrices>&, Isa);

} // namespace pegasus::software::test
