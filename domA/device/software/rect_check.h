// SPDX-License-Identifier: Apache-2.0
// Converts a device::Rect to host memory, with every product and sum checked.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/exec/memory/memory.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace pegasus::software {

// Rows of `row_bytes` bytes, `pitch` apart, that all lie in one live allocation.
struct HostRect {
  std::byte* base = nullptr; // nullptr if there is nothing to copy
  std::uint64_t pitch = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 0;

  [[nodiscard]] std::byte* row(std::uint64_t index) const { return base + index * pitch; }
  [[nodiscard]] bool empty() const { return base == nullptr; }
  [[nodiscard]] std::uint64_t packed_bytes() const { return row_bytes * rows; } // checked by host_rect()
};

// Returns nullopt if the rows overlap (pitch < row_bytes), a size exceeds 64 bits, or the memory is not in
// one live allocation.
[[nodiscard]] std::optional<HostRect> host_rect(Memory const& memory, device::Rect const& rect);

} // namespace pegasus::software
