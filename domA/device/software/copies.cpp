// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/copies.h"

#include "domA/device/software/rect_check.h"

#include <algorithm>
#include <cstring>

namespace pegasus::software {
namespace {

// Fills the row by repeating its first `element_bytes` bytes. Doubling keeps the number
// of copies logarithmic.
void repeat(std::byte* row, std::uint64_t row_bytes, std::uint64_t element_bytes) {
  for (std::uint64_t done = element_bytes; done < row_bytes;) {
    std::uint64_t const more = std::min(done, row_bytes - done);
    std::memcpy(row + done, row, more);
    done += more;
  }
}

void fill_rows(HostRect const& rect, std::uint32_t value, std::uint32_t element_bytes) {
  if (element_bytes == 1) {
    for (std::uint64_t i = 0; i < rect.rows; ++i)
      std::memset(rect.row(i), static_cast<int>(value & 0xff), rect.row_bytes);
    return;
  }
  for (std::uint64_t i = 0; i < rect.rows; ++i) {
    for (std::uint32_t b = 0; b < element_bytes; ++b)
      rect.row(i)[b] = static_cast<std::byte>(value >> (8 * b));
    repeat(rect.row(i), rect.row_bytes, element_bytes);
  }
}

} // namespace

device::Status Copies::to_device(device::Rect const& target, std::span<std::byte const> source) {
  auto const rect = host_rect(memory_.space, target);
  if (!rect || rect->packed_bytes() != source.size()) return Status::invalid_value;
  for (std::uint64_t i = 0; i < rect->rows; ++i)
    std::memcpy(rect->row(i), source.data() + i * rect->row_bytes, rect->row_bytes);
  return Status::success;
}

device::Status Copies::from_device(std::span<std::byte> target, device::Rect const& source) {
  auto const rect = host_rect(memory_.space, source);
  if (!rect || rect->packed_bytes() != target.size()) return Status::invalid_value;
  for (std::uint64_t i = 0; i < rect->rows; ++i)
    std::memcpy(target.data() + i * rect->row_bytes, rect->row(i), rect->row_bytes);
  return Status::success;
}

device::Status Copies::within_device(device::Rect const& target, device::Address source,
                                     std::uint64_t source_pitch) {
  auto const to = host_rect(memory_.space, target);
  auto const from = host_rect(memory_.space, {source, source_pitch, target.row_bytes, target.rows});
  if (!to || !from) return Status::invalid_value;
  if (to->empty()) return Status::success;
  EngineHold const hold(engine_);
  for (std::uint64_t i = 0; i < to->rows; ++i)
    std::memmove(to->row(i), from->row(i), to->row_bytes);
  return Status::success;
}

device::Status Copies::fill(device::Rect const& target, std::uint32_t value, std::uint32_t element_bytes) {
  auto const rect = host_rect(memory_.space, target);
  if (!rect) return Status::invalid_value;
  if (rect->empty()) return Status::success;
  EngineHold const hold(engine_);
  fill_rows(*rect, value, element_bytes);
  return Status::success;
}

} // namespace pegasus::software
