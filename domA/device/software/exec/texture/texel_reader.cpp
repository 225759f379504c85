// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/texel_reader.h"

#include <optional>

namespace pegasus::software {
namespace {

// From the first byte to behind the last one; nullopt if no address space has so many.
std::optional<std::uint64_t> bytes_of(TexelPlane const& p, std::uint32_t texel_bytes) {
  if (p.width == 0 || p.height == 0 || p.slices == 0) return std::nullopt;
  std::uint64_t slices = 0, rows = 0, row = 0, bytes = 0;
  bool const too_many = __builtin_mul_overflow(p.slices - 1, p.slice_bytes, &slices) ||
                        __builtin_mul_overflow(p.height - 1, p.row_bytes, &rows) ||
                        __builtin_mul_overflow(p.width, texel_bytes, &row) ||
                        __builtin_add_overflow(slices, rows, &bytes) ||
                        __builtin_add_overflow(bytes, row, &bytes);
  if (too_many) return std::nullopt;
  return bytes;
}

} // namespace

TexelReader::View const& TexelReader::view_of(std::size_t level) {
  View& view = views_[level & 1];
  TexelPlane const& plane = store_.levels[level];
  if (view.plane == &plane) return view;
  std::optional<std::uint64_t> const bytes = bytes_of(plane, store_.texel.bytes());
  view = {&plane, bytes ? memory_.resolve(plane.base, *bytes) : nullptr};
  return view;
}

std::byte* TexelReader::at(std::size_t level, std::uint64_t x, std::uint64_t y, std::uint64_t slice,
                           std::uint64_t bytes) {
  View const& view = view_of(level);
  std::uint64_t const offset = slice * view.plane->slice_bytes + y * view.plane->row_bytes + x;
  if (view.host != nullptr) return view.host + offset;
  std::byte* const found = memory_.resolve(view.plane->base + offset, bytes);
  if (found == nullptr && !failed_) {
    failed_ = true;
    missing_ = view.plane->base + offset;
  }
  return found;
}

} // namespace pegasus::software
