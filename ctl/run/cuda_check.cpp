// SPDX-License-Identifier: Apache-2.0
#include "ctl/run/cuda_check.h"

#include "cli/printable.h"
#include "frontend/relink/plan.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>

namespace pegasus::ctl {
namespace {

// Each text is written in two parts, so a program that contains this check is not taken for one of them.
std::array<std::string, 2> const& texts() {
  static std::array<std::string, 2> const all = {
      std::string("libcudart_") + "static_",                      // NVIDIA's internal symbols
      std::string("cudaGraphicsResourceGet") + "MappedEglFrame"}; // NVIDIA's table of callbacks' names
  return all;
}

bool has_kernels(relink::ElfFile const& file) {
  auto const names = file.section_names();
  return std::any_of(names.begin(), names.end(), [](std::string const& name) {
    return name == ".nv_fatbin" || name == ".nvFatBinSegment" || name == "__nv_relfatbin";
  });
}

} // namespace

CudaRuntime cuda_runtime_of(relink::ElfFile const& file) {
  for (std::string const& library : file.needed()) {
    if (std::ranges::find(relink::releases, library, relink::runtime_name) != relink::releases.end())
      return CudaRuntime::shared;
    if (library.starts_with("libcudart.so.")) return CudaRuntime::other_release;
  }
  if (!has_kernels(file)) return CudaRuntime::unknown;
  if (relink::holds_our_runtime(file)) return CudaRuntime::ours_static;
  std::array<std::string_view, 2> const markers{texts()[0], texts()[1]};
  auto const found = file.contains(markers);
  return found[0] || found[1] ? CudaRuntime::nvidia_static : CudaRuntime::unknown;
}

std::string why_not_replaced(relink::ElfFile const& object, std::string const& library_directory) {
  // There is no dynamic linker then. Libraries that such a program loads by itself mostly crash.
  if (object.needed().empty()) return "it was linked with -static, which has to be left out";
  auto const theirs = relink::runtime_functions(object, SHT_SYMTAB);
  if (theirs.empty()) return "its symbols are stripped";
  int const release = relink::release_of(theirs);
  if (release == 0) return "its symbols are incomplete";
  auto const ours =
      relink::ElfFile::open(library_directory + "/" + std::string(relink::runtime_name(release)));
  if (!ours) return {}; // check_guest_libraries() says so
  return relink::plan_of(theirs, relink::runtime_functions(*ours, SHT_DYNSYM)).refusal;
}

RuntimeProblem not_replaced(std::string const& why, std::string const& library_directory) {
  return {
      "holds NVIDIA's static CUDA runtime, which works on NVIDIA's driver only and cannot be replaced: " +
          why,
      fmt::format("link it again with `nvcc -cudart shared` (CMake: CMAKE_CUDA_RUNTIME_LIBRARY=Shared), or "
                  "against {}/libcudart_static.a (`nvcc -cudart none`)",
                  library_directory)};
}

RuntimeProblem of_other_release() {
  return {"was built for another CUDA release than 11, 12 and 13", "build it with the CUDA Toolkit 13"};
}

std::string cuda_problem(std::string const& program, std::string const& library_directory) {
  auto const sentence = [&program](RuntimeProblem const& problem) {
    return fmt::format("{} {}; {}", cli::printable(program), problem.what, problem.remedy);
  };
  auto const file = relink::ElfFile::open(program);
  switch (file ? cuda_runtime_of(*file) : CudaRuntime::unknown) {
  case CudaRuntime::nvidia_static: {
    std::string const why = why_not_replaced(*file, library_directory);
    return why.empty() ? "" : sentence(not_replaced(why, library_directory));
  }
  case CudaRuntime::other_release:
    return sentence(of_other_release());
  case CudaRuntime::unknown:
  case CudaRuntime::shared:
  case CudaRuntime::ours_static:
    return {};
  }
  return {};
}

} // namespace pegasus::ctl
