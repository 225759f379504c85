// SPDX-License-Identifier: Apache-2.0
// A CUDA driver that misbehaves when told to, in front of a real one: NVIDIA's, or our own libcuda.so.1. It
// exports what domA/device/cuda/driver.h looks up and nothing else. A worker's environment keeps what begins
// with CUDA_:
//
//   CUDA_WRAPPED_DRIVER=PATH       the driver behind it; needed
//   CUDA_WRAPPED_FILL=WORD         fresh device memory is full of this 32-bit word
//   CUDA_WRAPPED_GPUS=N            N GPUs, all of them the first one behind, with UUIDs and names of
//                                  their own; CUDA_VISIBLE_DEVICES chooses among them by UUID
//   CUDA_WRAPPED_DEAD=N:PATH       GPU N gives no context while the file is there
//   CUDA_WRAPPED_THREADS=N         it starts N threads with the first context, as NVIDIA's does
//   CUDA_WRAPPED_ERROR=NUMBER      a CUresult that a process's context is lost with,
//   CUDA_WRAPPED_ERROR_AT=N        by its N-th launch (default: the first)
//   CUDA_WRAPPED_ERROR_KERNEL=TEXT of a kernel whose name contains this (default: of any)
//
// A context is lost as on a GPU: the launch succeeds, and every later call that works in the context says
// why. It opens files no later than cuInit, as its callers enter a sandbox after that. For one thread.
#pragma once

#include "domA/device/cuda/driver.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pegasus::wrapped {

struct Wishes {
  std::string driver;
  std::optional<std::uint32_t> fill;
  int gpus = 0;        // 0: as many as there are
  std::string visible; // CUDA_VISIBLE_DEVICES
  int dead_gpu = -1;
  std::string dead_while; // this file is there
  unsigned threads = 0;
  CUresult error = CUDA_SUCCESS;
  unsigned error_at = 1;
  std::string error_kernel;
};

[[nodiscard]] Wishes const& wishes();
// Loaded when first asked for; without functions when that fails, which standard error tells.
[[nodiscard]] cuda::Driver const& behind();
// What the context was lost with; CUDA_SUCCESS: it was not.
[[nodiscard]] CUresult& lost();

} // namespace pegasus::wrapped
