// SPDX-License-Identifier: Apache-2.0
// cuOccupancy*: occupancy.h with the values of the device and the kernel.
#include "frontend/cuda/occupancy.h"

#include "frontend/cuda/launch_attributes.h"

namespace pegasus::driver {
namespace {

template <class Body> CUresult with_kernel(CUfunction handle, unsigned flags, Body body) {
  return with_context([&](Channel& channel, Context&) {
    // CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE has no effect: no cache limits occupancy here.
    if ((flags & ~static_cast<unsigned>(CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    Function const* const function = find_function(handle);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return body(channel, *function);
  });
}

CUresult max_active(int* blocks, CUfunction handle, int block_threads, std::size_t dynamic_shared,
                    unsigned flags) {
  return with_kernel(handle, flags, [&](Channel& channel, Function const& function) {
    if (blocks == nullptr || block_threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    *blocks = active_blocks(limits_of(channel), needs_of(function), block_threads, dynamic_shared);
    return CUDA_SUCCESS;
  });
}

CUresult potential(int* grid, int* block, CUfunction handle, CUoccupancyB2DSize dynamic_of,
                   std::size_t dynamic_fixed, int limit, unsigned flags) {
  return with_kernel(handle, flags, [&](Channel& channel, Function const& function) {
    if (grid == nullptr || block == nullptr || limit < 0) return CUDA_ERROR_INVALID_VALUE;
    BlockChoice const best = best_block(limits_of(channel), needs_of(function), limit, [&](int threads) {
      return dynamic_of == nullptr ? dynamic_fixed : dynamic_of(threads);
    });
    *block = best.block_threads;
    *grid = best.blocks_per_sm * attribute(channel, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return CUDA_SUCCESS;
  });
}

// The driver knows how clusters are placed; devices without clusters have none.
CUresult clusters(int* value, CUfunction handle, CUlaunchConfig const* config, std::uint32_t question) {
  return with_kernel(handle, 0, [&](Channel& channel, Function const& function) {
    if (value == nullptr || config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
      return CUDA_ERROR_INVALID_VALUE;
    if (!has_clusters(channel)) return CUDA_ERROR_NOT_SUPPORTED;
    LaunchShape shape = shape_of(*config);
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i)
      if (CUresult const status =
              set_launch_attribute(channel, config->attrs[i].id, config->attrs[i].value, shape, cooperative);
          status != CUDA_SUCCESS)
        return status;
    if (CUresult const status = check_shape(channel, function, shape); status != CUDA_SUCCESS) return status;
    auto const [status, reply] =
        ask(channel, pegasus_cluster_occupancy_request{launch_request(function, shape, 0, cooperative),
                                                       shape.attributes, question, 0});
    if (status == CUDA_SUCCESS) *value = reply.value;
    return status;
  });
}

} // namespace
} // namespace pegasus::driver

using namespace pegasus::driver;

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction f, int threads,
                                                     std::size_t dynamic) {
  return max_active(blocks, f, threads, dynamic, 0);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction f, int threads,
                                                              std::size_t dynamic, unsigned flags) {
  return max_active(blocks, f, threads, dynamic, flags);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction f, CUoccupancyB2DSize dynamic_of,
                                          std::size_t dynamic, int limit) {
  return potential(grid, block, f, dynamic_of, dynamic, limit, 0);
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction f,
                                                   CUoccupancyB2DSize dynamic_of, std::size_t dynamic,
                                                   int limit, unsigned flags) {
  return potential(grid, block, f, dynamic_of, dynamic, limit, flags);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction f, int blocks, int threads) {
  return with_kernel(f, 0, [&](Channel& channel, Function const& function) {
    if (bytes == nullptr || blocks <= 0 || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    SmLimits const limits = limits_of(channel);
    if (active_blocks(limits, needs_of(function), threads, 0) < blocks) return CUDA_ERROR_INVALID_VALUE;
    int const per_block = attribute(channel, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    *bytes = available_dynamic_shared(limits, needs_of(function), blocks, static_cast<unsigned>(per_block));
    return CUDA_SUCCESS;
  });
}

CUresult cuOccupancyMaxActiveClusters(int* count, CUfunction f, CUlaunchConfig const* config) {
  return clusters(count, f, config, 1);
}
CUresult cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction f, CUlaunchConfig const* config) {
  return clusters(blocks, f, config, 2);
}
