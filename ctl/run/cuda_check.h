// SPDX-License-Identifier: Apache-2.0
// Whether a program can use Pegasus's libraries at all, looked up in its file before it starts.
//
// nvcc and CMake link the CUDA runtime statically by default, and NVIDIA's static runtime works on NVIDIA's
// driver only. A program is taken to hold it when it has kernels (a section .nv_fatbin or .nvFatBinSegment),
// does not ask the loader for any libcudart.so, and holds texts that every copy of that runtime holds: its
// symbols' prefix, or, when symbols are stripped, the last name in its table of profiling callbacks.
// Pegasus's own static runtime holds a mark instead and is fine. Only the program's own file is looked at,
// not the libraries it loads.
#pragma once

#include "ctl/run/elf_file.h"

#include <string>

namespace pegasus::ctl {

enum class CudaRuntime {
  unknown,       // no ELF program, or no CUDA in it: let it run
  shared,        // libcudart.so.13: ours takes its place
  other_release, // libcudart.so of another CUDA release
  ours_static,
  nvidia_static,
};

[[nodiscard]] CudaRuntime cuda_runtime_of(ElfFile const& file);

// Empty, or one sentence on why `program` (a path) cannot work and what to do.
[[nodiscard]] std::string cuda_problem(std::string const& program, std::string const& library_directory);

} // namespace pegasus::ctl
