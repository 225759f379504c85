// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/tensor_map.h"

#include <cstring>

namespace pegasus::cuda {

CUresult encode(Driver const& driver, device::TensorMap const& map,
                device::TensorMap::Descriptor& descriptor) {
  using Kind = device::TensorMap::Kind;
  static_assert(sizeof(CUtensorMap) == device::TensorMap::bytes);
  CUtensorMap made{};
  auto* const address = reinterpret_cast<void*>(map.address); // never dereferenced
  auto const type = static_cast<CUtensorMapDataType>(map.data_type);
  auto const interleave = static_cast<CUtensorMapInterleave>(map.interleave);
  auto const swizzle = static_cast<CUtensorMapSwizzle>(map.swizzle);
  auto const promotion = static_cast<CUtensorMapL2promotion>(map.promotion);
  auto const fill = static_cast<CUtensorMapFloatOOBfill>(map.fill);
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;
  if (map.kind == Kind::tiled && driver.cuTensorMapEncodeTiled != nullptr)
    result = driver.cuTensorMapEncodeTiled(&made, type, map.rank, address, map.dimensions.data(),
                                           map.strides.data(), map.box.data(), map.element_strides.data(),
                                           interleave, swizzle, promotion, fill);
  if (map.kind == Kind::im2col && driver.cuTensorMapEncodeIm2col != nullptr)
    result = driver.cuTensorMapEncodeIm2col(&made, type, map.rank, address, map.dimensions.data(),
                                            map.strides.data(), map.lower.data(), map.upper.data(),
                                            map.channels, map.pixels, map.element_strides.data(), interleave,
                                            swizzle, promotion, fill);
  if (map.kind == Kind::im2col_wide && driver.cuTensorMapEncodeIm2colWide != nullptr)
    result = driver.cuTensorMapEncodeIm2colWide(
        &made, type, map.rank, address, map.dimensions.data(), map.strides.data(), map.lower[0], map.upper[0],
        map.channels, map.pixels, map.element_strides.data(), interleave,
        static_cast<CUtensorMapIm2ColWideMode>(map.mode), swizzle, promotion, fill);
  if (map.kind == Kind::other_address && driver.cuTensorMapReplaceAddress != nullptr) {
    std::memcpy(&made, map.before.data(), sizeof made);
    result = driver.cuTensorMapReplaceAddress(&made, address);
  }
  if (result == CUDA_SUCCESS) std::memcpy(descriptor.data(), &made, sizeof made);
  return result;
}

} // namespace pegasus::cuda
