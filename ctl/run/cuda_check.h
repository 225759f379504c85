// SPDX-License-Identifier: Apache-2.0
// Checks whether a program can use Pegasus's libraries at all, by looking at its file before it starts.
//
// nvcc and CMake link the CUDA runtime statically by default, and NVIDIA's static runtime works only on
// NVIDIA's driver. It is replaced when the program is loaded (frontend/relink), if its symbols are there and
// the program has a dynamic linker. A program is taken to contain it if it has kernels (a section .nv_fatbin or
// .nvFatBinSegment), does not ask the loader for any libcudart.so, and contains texts that every copy of that
// runtime contains: its symbols' prefix, or, if symbols are stripped, the last name in its table of profiling
// callbacks. Pegasus's own static runtime contains a mark instead and is accepted. Only the program's own
// file is checked, not the libraries that it loads.
#pragma once

#include "frontend/relink/elf_file.h"

#include <string>

namespace pegasus::ctl {

enum class CudaRuntime {
  unknown,       // not an ELF program, or no CUDA in it: let it run
  shared,        // libcudart.so.13: ours takes its place
  other_release, // libcudart.so of another CUDA release
  ours_static,
  nvidia_static,
};

[[nodiscard]] CudaRuntime cuda_runtime_of(relink::ElfFile const& file);

// Of an object with NVIDIA's static runtime: why ours cannot take its place; empty: it will.
[[nodiscard]] std::string why_not_replaced(relink::ElfFile const& object,
                                           std::string const& library_directory);

// What is wrong with a program, as the rest of a sentence that begins with its name, and how to mend it.
struct RuntimeProblem {
  std::string what;
  std::string remedy;
};
[[nodiscard]] RuntimeProblem not_replaced(std::string const& why, std::string const& library_directory);
[[nodiscard]] RuntimeProblem of_other_release();

// Empty, or one sentence on why `program` (a path) cannot work and how to fix it.
[[nodiscard]] std::string cuda_problem(std::string const& program, std::string const& library_directory);

} // namespace pegasus::ctl
