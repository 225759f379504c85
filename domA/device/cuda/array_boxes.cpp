// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/array_boxes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pegasus::cuda {
namespace {

using Sides = std::array<CopySide, 2>; // target, source

std::uint64_t column(CopySide const& side) { return side.offset % side.grid->row_bytes; }
std::uint64_t row(CopySide const& side) { return side.offset / side.grid->row_bytes % side.grid->rows; }
std::uint64_t slice(CopySide const& side) { return side.offset / side.grid->row_bytes / side.grid->rows; }

bool contains(Grid const& grid, CopySide const& side, std::uint64_t row_bytes, std::uint64_t rows) {
  std::uint64_t end = 0;
  return (rows == 1 || side.pitch >= row_bytes) && !__builtin_mul_overflow(rows - 1, side.pitch, &end) &&
         !__builtin_add_overflow(end, row_bytes, &end) && !__builtin_add_overflow(end, side.offset, &end) &&
         end <= grid.bytes();
}

class Cutter {
public:
  explicit Cutter(std::vector<Box>& boxes) : boxes_(boxes) {}

  // Rows that lie one below the other where a side is in a level.
  [[nodiscard]] bool block(Sides sides, std::uint64_t width, std::uint64_t rows);
  // Bytes that follow each other at both sides.
  [[nodiscard]] bool run(Sides sides, std::uint64_t bytes);

private:
  [[nodiscard]] bool add(Sides const& sides, Box box);

  std::vector<Box>& boxes_;
};

bool Cutter::add(Sides const& sides, Box box) {
  auto const place = [&](CopySide const& side, BoxPlace& at) {
    if (side.grid != nullptr) {
      at.x = column(side);
      at.y = row(side);
      at.z = slice(side);
      return at.x % side.grid->texel_bytes == 0 && box.width % side.grid->texel_bytes == 0;
    }
    at.offset = side.offset;
    at.pitch = box.height * box.depth == 1 ? box.width : side.pitch;
    return true;
  };
  bool const whole_texels = place(sides[0], box.target) && place(sides[1], box.source);
  if (!whole_texels || boxes_.size() == most_boxes) return false;
  boxes_.push_back(box);
  return true;
}

bool Cutter::block(Sides sides, std::uint64_t width, std::uint64_t rows) {
  while (rows > 0) {
    Box box{.target = {}, .source = {}, .width = width, .height = rows};
    std::uint64_t slice_rows = 0; // of both sides, if they have the same
    bool whole_slices = true;
    for (CopySide const& side : sides) {
      if (side.grid == nullptr) continue;
      box.height = std::min(box.height, side.grid->rows - row(side));
      whole_slices = whole_slices && row(side) == 0 && rows >= side.grid->rows &&
                     (slice_rows == 0 || slice_rows == side.grid->rows);
      slice_rows = side.grid->rows;
    }
    if (whole_slices) box.depth = rows / box.height;
    if (!add(sides, box)) return false;
    for (CopySide& side : sides)
      side.offset += box.height * box.depth * side.pitch;
    rows -= box.height * box.depth;
  }
  return true;
}

bool Cutter::run(Sides sides, std::uint64_t bytes) {
  while (bytes > 0) {
    std::uint64_t width = bytes; // up to the end of a row
    for (CopySide const& side : sides)
      if (side.grid != nullptr) width = std::min(width, side.grid->row_bytes - column(side));
    bool const whole_rows = std::ranges::all_of(sides, [&](CopySide const& side) {
      return side.grid == nullptr || (column(side) == 0 && side.grid->row_bytes == width);
    });
    std::uint64_t const rows = whole_rows ? bytes / width : 1;
    for (CopySide& side : sides)
      side.pitch = width;
    if (!block(sides, width, rows)) return false;
    for (CopySide& side : sides)
      side.offset += width * rows;
    bytes -= width * rows;
  }
  return true;
}

} // namespace

std::optional<std::vector<Box>> boxes_of(CopySide const& target, CopySide const& source,
                                         std::uint64_t row_bytes, std::uint64_t rows) {
  Sides sides{target, source};
  for (CopySide const& side : sides)
    if (side.grid != nullptr && !contains(*side.grid, side, row_bytes, rows)) return std::nullopt;
  if (target.pitch == row_bytes && source.pitch == row_bytes) {
    row_bytes *= rows; // at least one side has that many bytes
    rows = 1;
  }
  bool const in_blocks = rows > 1 && std::ranges::all_of(sides, [&](CopySide const& side) {
                           return side.grid == nullptr || (side.pitch == side.grid->row_bytes &&
                                                           column(side) + row_bytes <= side.grid->row_bytes);
                         });
  std::vector<Box> boxes;
  Cutter cutter(boxes);
  if (in_blocks) return cutter.block(sides, row_bytes, rows) ? std::optional(std::move(boxes)) : std::nullopt;
  for (; rows > 0; --rows) {
    if (!cutter.run(sides, row_bytes)) return std::nullopt;
    for (CopySide& side : sides)
      side.offset += side.pitch;
  }
  return boxes;
}

} // namespace pegasus::cuda
