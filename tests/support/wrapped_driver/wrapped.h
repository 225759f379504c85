// SPDX-License-Identifier: Apache-2.0
// A CUDA driver in front of a real one, NVIDIA's or this project's libcuda.so.1. It needs of its host what
// NVIDIA's does (host_needs.h), and misbehaves on request. It exports only what domA/device/cuda/driver.h looks
// up. A worker's environment keeps variables whose names begin with CUDA_:
//
//   CUDA_WRAPPED_DRIVER=PATH       the driver behind it; required
//   CUDA_WRAPPED_FILL=WORD         fresh device memory is filled with this 32-bit word
//   CUDA_WRAPPED_GPUS=N            N GPUs, all of them the first one behind, with different UUIDs and names;
//                                  CUDA_VISIBLE_DEVICES selects among them by UUID
//   CUDA_WRAPPED_NODE=PATH         the device node that each new context opens (default: /dev/null)
//   CUDA_WRAPPED_COMPILER=NAME     the library that it compiles with (default: libnvidia-ptxjitcompiler.so.1)
//   CUDA_WRAPPED_DEAD=N:PATH       GPU N refuses contexts while the file exists
//   CUDA_WRAPPED_SWITCH_US=N       going from one context to another takes N us
//   CUDA_WRAPPED_COMPILE_MS=N      compiling takes N ms longer, and is said on standard error. What is neither a cubin
//                                  nor what cuLinkComplete gave counts as PTX
//   CUDA_WRAPPED_PROBES=1          loading a module tries a system call that no sandbox allows, without need
//   CUDA_WRAPPED_CONTEXT_MIB=N     each context takes N MiB of device memory, as a GPU's does
//   CUDA_WRAPPED_UNPINNED=1        no host memory can be registered
//   CUDA_WRAPPED_CLUSTERS=1        it says that the GPU has thread block clusters and tensor maps. Launches arrive
//                                  behind without their attributes, which are printed on standard error
//   CUDA_WRAPPED_ERROR=NUMBER      the CUresult that a process's context is lost with,
//   CUDA_WRAPPED_ERROR_AT=N        by its N-th launch (default: the first)
//   CUDA_WRAPPED_ERROR_KERNEL=TEXT of a kernel whose name contains this (default: of any)
//
// A context is lost as on a GPU: the launch succeeds, and every later call that uses the context returns the
// error. For one thread.
#pragma once

#include "domA/device/cuda/driver.h"

#include <cstdint>
#include <optional>
#include <string>

namespace pegasus::wrapped {

struct Settings {
  std::string driver;
  std::optional<std::uint32_t> fill;
  int gpus = 0;        // 0: as many as exist
  std::string visible; // CUDA_VISIBLE_DEVICES
  std::string node;
  std::string compiler;
  int dead_gpu = -1;
  std::string dead_while; // while this file exists
  unsigned switch_us = 0;
  unsigned compile_ms = 0;
  bool probes = false;
  unsigned context_mib = 0;
  bool unpinned = false;
  bool clusters = false;
  CUresult error = CUDA_SUCCESS;
  unsigned error_at = 1;
  std::string error_kernel;
};

[[nodiscard]] Settings const& settings();
// Loaded at the first call. If that fails, it has no functions, and an error is printed on standard error.
[[nodiscard]] cuda::Driver const& behind();
// The error that the context was lost with; CUDA_SUCCESS if it was not lost.
[[nodiscard]] CUresult& lost();

void context_made(); // memory.cpp counts the contexts of this process
void context_destroyed();

} // namespace pegasus::wrapped
