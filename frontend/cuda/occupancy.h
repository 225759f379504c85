// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel fit on a multiprocessor. The rules are those of the CUDA C++ Programming Guide
// (Hardware Multithreading; Compute Capabilities): warps, registers by the warp in units of 256 over four
// partitions, shared memory in units, and a maximum of blocks.
#pragma once

#include "frontend/cuda/function.h"

#include <cstdint>

namespace pegasus::driver {

struct SmLimits {
  int compute_major = 0;
  int warp_size = 32;
  int threads_per_block = 0;
  int threads = 0; // per multiprocessor, like the following fields
  int blocks = 0;
  int registers = 0;
  int registers_per_block = 0;
  std::uint64_t shared_bytes = 0;
  std::uint64_t reserved_shared_per_block = 0;
};

struct KernelNeeds {
  int max_threads_per_block = 0;
  int registers = 0; // per thread; 0: not limited by registers
  std::uint64_t static_shared = 0;
};

SmLimits limits_of(Channel const& channel);
KernelNeeds needs_of(Function const& function);

// Returns 0 if not even one block fits. block_threads > 0.
int active_blocks(SmLimits const& limits, KernelNeeds const& kernel, int block_threads,
                  std::uint64_t dynamic_shared);

// The largest dynamic shared memory with which `blocks` blocks are still active; 0 if there are
// too many blocks.
std::uint64_t available_dynamic_shared(SmLimits const& limits, KernelNeeds const& kernel, int blocks,
                                       std::uint64_t max_per_block);

struct BlockChoice {
  int block_threads = 0;
  int blocks_per_sm = 0;
};

// The block size with the most active threads, the larger one of equals. dynamic_shared(block size)
// is in bytes.
template <class DynamicShared>
BlockChoice best_block(SmLimits const& limits, KernelNeeds const& kernel, int block_limit,
                       DynamicShared dynamic_shared) {
  int const most = kernel.max_threads_per_block < limits.threads_per_block ? kernel.max_threads_per_block
                                                                           : limits.threads_per_block;
  int const limit = block_limit == 0 || block_limit > most ? most : block_limit;
  BlockChoice best;
  int const step = limits.warp_size;
  for (int aligned = (limit + step - 1) / step * step; aligned > 0; aligned -= step) {
    int const threads = aligned < limit ? aligned : limit;
    int const blocks = active_blocks(limits, kernel, threads, dynamic_shared(threads));
    if (threads * blocks > best.block_threads * best.blocks_per_sm) best = {threads, blocks};
    if (best.block_threads * best.blocks_per_sm >= limits.threads) break; // cannot improve
  }
  return best;
}

} // namespace pegasus::driver
