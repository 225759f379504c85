// SPDX-License-Identifier: Apache-2.0
// Arrays are the driver's: the handles are the same. Channel descriptions have other numbers than the driver's formats.
#pragma once

#include "frontend/cudart/context.h"

namespace pegasus::cudart {

inline CUarray driver_array(cudaArray_const_t array) {
  return reinterpret_cast<CUarray>(const_cast<cudaArray_t>(array));
}
inline cudaArray_t runtime_array(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
inline CUmipmappedArray driver_mipmap(cudaMipmappedArray_const_t array) {
  return reinterpret_cast<CUmipmappedArray>(const_cast<cudaMipmappedArray_t>(array));
}
inline cudaMipmappedArray_t runtime_mipmap(CUmipmappedArray array) {
  return reinterpret_cast<cudaMipmappedArray_t>(array);
}

struct TexelFormat {
  CUarray_format format;
  unsigned channels;
};
// cudaErrorInvalidChannelDescriptor; cudaErrorNotSupported: compressed or planar.
[[nodiscard]] cudaError_t convert(cudaChannelFormatDesc const& from, TexelFormat& to);
[[nodiscard]] cudaChannelFormatDesc convert(TexelFormat from);
[[nodiscard]] std::size_t bytes_of(TexelFormat texel);
[[nodiscard]] cudaError_t texel_bytes_of(Driver const& driver, cudaArray_const_t array, std::size_t& bytes);

} // namespace pegasus::cudart
