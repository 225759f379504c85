// SPDX-License-Identifier: Apache-2.0
// cudaDeviceProp of CUDA 12; that of 11.8 is its beginning. CUDA 13 left fields out, which are attributes now, but for
// cooperativeMultiDeviceLaunch: always 0.
#include "frontend/cudart/earlier/api.h"

#include <cstddef>

namespace {

constexpr std::size_t bytes_12 = 1032, bytes_11 = 728;
using Properties = std::byte[bytes_12];

struct Run {
  std::size_t at_13, at_12, bytes;
};
constexpr Run common[] = {
    {0, 0, 384},     // name to texturePitchAlignment
    {384, 388, 4},   // multiProcessorCount
    {388, 396, 8},   // integrated, canMapHostMemory
    {396, 408, 8},   // maxTexture1D, maxTexture1DMipmap
    {404, 420, 188}, // maxTexture2D to unifiedAddressing
    {592, 612, 28},  // memoryBusWidth to localL1CacheSupported
    {624, 640, 28},  // sharedMemPerMultiprocessor to hostNativeAtomicSupported
    {652, 672, 20},  // pageableMemoryAccess to cooperativeLaunch
    {672, 696, 84},  // sharedMemPerBlockOptin to unifiedFunctionPointers
};
static_assert(sizeof(cudaDeviceProp) == 1008 && offsetof(cudaDeviceProp, maxTexture2D) == 404 &&
              offsetof(cudaDeviceProp, sharedMemPerBlockOptin) == 672);

struct Field {
  std::size_t at_12;
  cudaDeviceAttr attribute;
};
constexpr Field left_out[] = {
    {348, cudaDevAttrClockRate},
    {384, cudaDevAttrGpuOverlap},
    {392, cudaDevAttrKernelExecTimeout},
    {404, cudaDevAttrComputeMode},
    {416, cudaDevAttrMaxTexture1DLinearWidth},
    {608, cudaDevAttrMemoryClockRate},
    {668, cudaDevAttrSingleToDoublePrecisionPerfRatio},
};

cudaError_t properties_of(int device, Properties& to) {
  cudaDeviceProp ours{};
  if (cudaError_t const error = cudaGetDeviceProperties(&ours, device); error != cudaSuccess) return error;
  std::memset(to, 0, sizeof to);
  for (Run const& run : common)
    std::memcpy(to + run.at_12, reinterpret_cast<std::byte const*>(&ours) + run.at_13, run.bytes);
  for (Field const& field : left_out) {
    int value = 0;
    (void)cudaDeviceGetAttribute(&value, field.attribute, device);
    std::memcpy(to + field.at_12, &value, sizeof value);
  }
  return cudaSuccess;
}

cudaError_t write_properties(void* to, int device, std::size_t bytes) {
  if (to == nullptr) return cudaGetDeviceProperties(nullptr, device);
  Properties properties;
  cudaError_t const error = properties_of(device, properties);
  if (error == cudaSuccess) std::memcpy(to, properties, bytes);
  return error;
}

} // namespace

PEGASUS_EARLIER(cudaGetDeviceProperties, void* properties, int device) {
  return write_properties(properties, device, bytes_11);
}
#if PEGASUS_CUDART_RELEASE == 12
PEGASUS_EARLIER(cudaGetDeviceProperties_v2, void* properties, int device) {
  return write_properties(properties, device, bytes_12);
}
#endif

PEGASUS_EARLIER(cudaChooseDevice, int* device, void const* wanted) {
  if (wanted == nullptr) return cudaChooseDevice(device, nullptr);
  cudaDeviceProp ours{};
  constexpr std::size_t bytes = PEGASUS_CUDART_RELEASE == 12 ? bytes_12 : bytes_11;
  for (Run const& run : common)
    if (run.at_12 + run.bytes <= bytes)
      std::memcpy(reinterpret_cast<std::byte*>(&ours) + run.at_13,
                  static_cast<std::byte const*>(wanted) + run.at_12, run.bytes);
  return cudaChooseDevice(device, &ours);
}
