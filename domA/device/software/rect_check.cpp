// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/rect_check.h"

namespace pegasus::software {

std::optional<HostRect> host_rect(Memory const& memory, device::Rect const& rect) {
  if (rect.row_bytes == 0 || rect.rows == 0) return HostRect{}; // CUDA: an empty copy succeeds
  HostRect host{nullptr, rect.rows == 1 ? rect.row_bytes : rect.pitch, rect.row_bytes, rect.rows};
  std::uint64_t packed = 0;
  std::uint64_t extent = 0;
  std::uint64_t end = 0;
  if (host.pitch < host.row_bytes || __builtin_mul_overflow(host.row_bytes, host.rows, &packed) ||
      __builtin_mul_overflow(host.pitch, host.rows - 1, &extent) ||
      __builtin_add_overflow(extent, host.row_bytes, &extent) ||
      __builtin_add_overflow(rect.address, extent, &end))
    return std::nullopt;
  host.base = memory.resolve(rect.address, extent);
  if (host.base == nullptr) return std::nullopt;
  return host;
}

} // namespace pegasus::software
