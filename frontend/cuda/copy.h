// SPDX-License-Identifier: Apache-2.0
// One copy of rows between any two sides; all of CUDA's copy functions use it.
#pragma once

#include "frontend/cuda/context.h"

#include <functional>

namespace pegasus::driver {

struct Side {
  bool on_device = false;
  std::uint64_t address = 0;
  std::uint64_t pitch = 0; // bytes between rows; ignored if there is one row
};

Side side_of(std::uint64_t address,
             std::uint64_t pitch = 0); // host or device by the address, as in unified addressing
inline Side device_side(CUdeviceptr address, std::uint64_t pitch = 0) { return {true, address, pitch}; }
inline Side host_side(void const* pointer, std::uint64_t pitch = 0) {
  return {false, reinterpret_cast<std::uintptr_t>(pointer), pitch};
}

struct RowCopy {
  Side target, source;
  std::uint64_t row_bytes = 0;
  std::uint64_t rows = 0;
};

// Checks both sides: device rows lie in one allocation, host rows are not device memory. Sets the pitches
// of single rows.
CUresult check_rows(Channel& channel, RowCopy& copy);

// Splits a box of memory, or of arrays, into copies of rows, one for each slice, and stops at the first failure;
// visits none for an empty box.
CUresult each_slice(CUDA_MEMCPY3D const& box, std::function<CUresult(RowCopy&)> const& visit);

// The box with each unified side said to be host or device, by what its address is now. What runs later must not ask
// again: an address that was freed since then is a wrong device address, not one of the host to write to.
CUDA_MEMCPY3D settled(CUDA_MEMCPY3D box);

// `blocking`: the host may rely on the copy being done, as far as CUDA promises it (device to device: never).
// A copy to the program's own memory is done when this returns, whatever `blocking` is.
CUresult copy_rows(Channel& channel, CUstream stream, Side target, Side source, std::uint64_t row_bytes,
                   std::uint64_t rows, bool blocking);

} // namespace pegasus::driver
