// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Occupancy": the driver knows the kernel's needs and the device's resources.
// cudaOccupancyMaxPotentialBlockSize is a template of cuda_runtime.h on top of these.
#include "frontend/cudart/registry.h"

using namespace pegasus::cudart;

namespace {

CUlaunchConfig describe(cudaLaunchConfig_t const& config) {
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute));
  return {config.gridDim.x,
          config.gridDim.y,
          config.gridDim.z,
          config.blockDim.x,
          config.blockDim.y,
          config.blockDim.z,
          static_cast<unsigned>(config.dynamicSmemBytes),
          config.stream,
          reinterpret_cast<CUlaunchAttribute*>(config.attrs),
          config.numAttrs};
}

cudaError_t active_blocks(int* blocks, void const* kernel, int block_size, std::size_t shared_bytes,
                          unsigned flags) {
  if (blocks == nullptr) return finish(cudaErrorInvalidValue);
  return with_function(kernel, [&](Driver const& driver, CUfunction function) {
    return driver.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                       shared_bytes, flags);
  });
}

} // namespace

PEGASUS_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* kernel,
                                                                      int block_size,
                                                                      std::size_t shared_bytes) {
  return active_blocks(blocks, kernel, block_size, shared_bytes, cudaOccupancyDefault);
}

PEGASUS_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, void const* kernel, int block_size, std::size_t shared_bytes, unsigned flags) {
  return active_blocks(blocks, kernel, block_size, shared_bytes, flags);
}

PEGASUS_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared_bytes,
                                                                  void const* kernel, int blocks,
                                                                  int block_size) {
  if (shared_bytes == nullptr) return finish(cudaErrorInvalidValue);
  return with_function(kernel, [&](Driver const& driver, CUfunction function) {
    return driver.cuOccupancyAvailableDynamicSMemPerBlock(shared_bytes, function, blocks, block_size);
  });
}

PEGASUS_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int* cluster, void const* kernel,
                                                             cudaLaunchConfig_t const* config) {
  if (cluster == nullptr || config == nullptr) return finish(cudaErrorInvalidValue);
  CUlaunchConfig const converted = describe(*config);
  return with_function(kernel, [&](Driver const& driver, CUfunction function) {
    return driver.cuOccupancyMaxPotentialClusterSize(cluster, function, &converted);
  });
}

PEGASUS_API cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void const* kernel,
                                                       cudaLaunchConfig_t const* config) {
  if (clusters == nullptr || config == nullptr) return finish(cudaErrorInvalidValue);
  CUlaunchConfig const converted = describe(*config);
  return with_function(kernel, [&](Driver const& driver, CUfunction function) {
    return driver.cuOccupancyMaxActiveClusters(clusters, function, &converted);
  });
}
