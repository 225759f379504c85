// SPDX-License-Identifier: Apache-2.0
// A copy of rows that lie in an array, at one side or at both, as boxes that a device copies. A guest names an array's
// texels by addresses, rows without gaps and slice by slice; the device by row and slice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::cuda {

// A level of an array. Each number is at least 1.
struct Grid {
  std::uint64_t row_bytes = 1;
  std::uint64_t rows = 1; // of a slice
  std::uint64_t slices = 1;
  std::uint64_t texel_bytes = 1;

  [[nodiscard]] std::uint64_t bytes() const { return row_bytes * rows * slices; }
};

// Where the rows of a copy are: in a level, or in memory.
struct CopySide {
  Grid const* grid = nullptr; // nullptr: memory
  std::uint64_t offset = 0;   // of the first row, in bytes from the level's or the memory's first
  std::uint64_t pitch = 0;    // from one row to the next
};

// Where a box is. In memory its rows are `pitch` bytes apart, and a slice's first follows the last of the one before.
struct BoxPlace {
  std::uint64_t x = 0, y = 0, z = 0; // in a level: bytes, rows, slices
  std::uint64_t offset = 0;          // in memory, as the next one
  std::uint64_t pitch = 0;
};

struct Box {
  BoxPlace target, source;
  std::uint64_t width = 0; // bytes
  std::uint64_t height = 1, depth = 1;
};

// More boxes take so long to submit that the caller should copy less at a time.
inline constexpr std::size_t most_boxes = 1024;

// At least one side is in a level, and `rows` rows of `row_bytes` are at least a byte. What is in memory must be there:
// only levels are looked at. nullopt: not all of it lies in the level, a piece of a texel, rows that overlap, or more
// boxes than there may be. There are few, unless rows lie in a level in another way than its own or two levels differ.
[[nodiscard]] std::optional<std::vector<Box>> boxes_of(CopySide const& target, CopySide const& source,
                                                       std::uint64_t row_bytes, std::uint64_t rows);

} // namespace pegasus::cuda
