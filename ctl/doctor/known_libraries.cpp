// SPDX-License-Identifier: Apache-2.0
#include "ctl/doctor/known_libraries.h"

#include <algorithm>
#include <array>

namespace pegasus::ctl::doctor {
namespace {

constexpr std::array<KnownLibrary, 19> known_libraries = {{
    {"libcublas.so", "cuBLAS"},
    {"libcublasLt.so", "cuBLASLt"},
    {"libcudnn", "cuDNN"},
    {"libcufft", "cuFFT"},
    {"libcufile", "cuFile"},
    {"libcurand.so", "cuRAND"},
    {"libcusolver", "cuSOLVER"},
    {"libcusparse", "cuSPARSE"},
    {"libcutensor", "cuTENSOR"},
    {"libnccl.so", "NCCL"},
    {"libnpp", "NPP"},
    {"libnvgraph.so", "nvGRAPH"},
    {"libnvinfer", "TensorRT"},
    {"libnvjpeg", "nvJPEG"},
    {"libnvshmem", "NVSHMEM"},
    {"libnvrtc", "NVRTC", true},
    {"libnvJitLink.so", "nvJitLink", true},
    {"libnvToolsExt.so", "NVTX", true},
    {"libnvvm.so", "libNVVM", true},
}};

constexpr std::string_view not_tried = "was not tried with Pegasus";
constexpr std::string_view runs_without_libraries = "what needs none of NVIDIA's libraries runs";
constexpr std::string_view libraries_fail = "what needs NVIDIA's libraries";
constexpr std::string_view no_runtime_api =
    "the driver API runs (tried: 12.9); the runtime API does not: it holds a stripped runtime";

constexpr std::array<KnownPackage, 13> known_packages = {{
    {"torch", runs_without_libraries, libraries_fail, "do without it"},
    {"triton", "runs"},
    {"cupy*",
     "arrays, copies, element-wise operations, reductions and raw kernels run on the software accelerator; "
     "what needs machine code or NVIDIA's libraries does not",
     "sorting, random numbers and products of matrices",
     "set CUPY_ACCELERATORS=, without which sums are wrong"},
    {"numba", "its built-in CUDA target runs (tried: 0.61 with CUDA 12's compiler)"},
    {"numba-cuda", "runs (tried: 0.30)"},
    {"cuda-bindings", no_runtime_api, "the runtime API", "use its driver API"},
    {"cuda-core", "runs (tried: 1.2)"},
    {"cuda-python", no_runtime_api, "the runtime API", "use its driver API"},
    {"pycuda", "runs (tried: 2026.1)"},
    {"jax-cuda*", "JAX does not run", "JAX", "choose the CPU with JAX_PLATFORMS=cpu"},
    {"tensorflow*", not_tried},
    {"nvidia-*", ""},
    {"warp-lang", not_tried},
}};

} // namespace

KnownLibrary const* known_library(std::string_view file) {
  auto const found = std::ranges::find_if(
      known_libraries, [file](KnownLibrary const& library) { return file.starts_with(library.file); });
  return found == known_libraries.end() ? nullptr : &*found;
}

KnownPackage const* known_package(std::string_view name) {
  auto const found = std::ranges::find_if(known_packages, [name](KnownPackage const& package) {
    bool const all = package.name.ends_with('*');
    return all ? name.starts_with(package.name.substr(0, package.name.size() - 1)) : name == package.name;
  });
  return found == known_packages.end() ? nullptr : &*found;
}

} // namespace pegasus::ctl::doctor
