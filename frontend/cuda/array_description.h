// SPDX-License-Identifier: Apache-2.0
// What an array may be: its texels, its extents, its flags.
#pragma once

#include "frontend/cuda/driver.h"

#include <cstdint>

namespace pegasus::driver {

// What one texel has, by CUDA's numbers.
struct TexelFormat {
  CUarray_format format;
  unsigned channels;
};
// CUDA_ERROR_NOT_SUPPORTED: one of CUDA's that these accelerators do not have.
CUresult check_format(TexelFormat texel);
std::uint32_t bytes_of(TexelFormat texel);
inline TexelFormat texel_of(CUDA_ARRAY3D_DESCRIPTOR const& description) {
  return {description.Format, description.NumChannels};
}

// What the attribute says, whatever the worker says: no more than requests can.
std::size_t texels_at_most(Channel& channel, CUdevice_attribute number);
// CUDA_ERROR_INVALID_VALUE: CUDA has no such array, or the device none that large.
CUresult check_description(Channel& channel, CUDA_ARRAY3D_DESCRIPTOR const& description, bool mipmapped);
// Until each extent is 1.
unsigned most_levels(CUDA_ARRAY3D_DESCRIPTOR const& description);

} // namespace pegasus::driver
