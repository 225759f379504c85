// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/images.h"
#include "bench/gpu/facts/parts.h"
#include "bench/gpu/facts/report.h"
#include "bench/gpu/facts/session.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace pegasus::facts {
namespace {

constexpr std::array attributes{
    std::pair(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, "compute capability, major"),
    std::pair(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, "compute capability, minor"),
    std::pair(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, "multiprocessors"),
    std::pair(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, "clock rate, kHz"),
    std::pair(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, "compute mode"),
    std::pair(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, "copy engines"),
    std::pair(CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, "compute preemption"),
    std::pair(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, "maps host memory"),
    std::pair(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, "unified addresses"),
    std::pair(CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, "limits the time of kernels"),
};

// 0 where the driver does not say.
std::size_t free_memory() {
  std::size_t left = 0, total = 0;
  return cuMemGetInfo(&left, &total) == CUDA_SUCCESS ? left : 0;
}

void second_context(CUdevice device) {
  CUcontext first = nullptr, second = nullptr;
  check(cuCtxGetCurrent(&first), "cuCtxGetCurrent");
  std::size_t const before = free_memory();
  double const begin = now_us();
  check(cuCtxCreate(&second, 0, device), "cuCtxCreate");
  double const made = now_us();
  std::size_t const after = free_memory();
  fact("another context", made - begin, "us");
  fact("its memory", static_cast<double>(before - std::min(before, after)) / (1 << 20), "MiB");
  double const end = now_us();
  check(cuCtxDestroy(second), "cuCtxDestroy");
  fact("its end", now_us() - end, "us");
  check(cuCtxSetCurrent(first), "cuCtxSetCurrent");
}

void load(char const* what, char const* image) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  double const begin = now_us();
  CUresult result = cuModuleLoadData(&module, image);
  if (result == CUDA_SUCCESS) result = cuModuleGetFunction(&function, module, "endless");
  if (result != CUDA_SUCCESS) return note(fmt::format("{} cannot be loaded: {}", what, name_of(result)));
  fact(fmt::format("load {}", what), now_us() - begin, "us");
  check(cuModuleUnload(module), "cuModuleUnload");
}

} // namespace

void context() {
  double begin = now_us();
  check(cuInit(0), "cuInit");
  fact("cuInit", now_us() - begin, "us");
  int version = 0, count = 0;
  check(cuDriverGetVersion(&version), "cuDriverGetVersion");
  fact("driver's CUDA version", version, "");
  check(cuDeviceGetCount(&count), "cuDeviceGetCount");
  fact("GPUs", count, "");
  CUdevice device = 0;
  CUcontext context = nullptr;
  std::array<char, 128> name{};
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDeviceGetName(name.data(), name.size(), device), "cuDeviceGetName");
  note(name.data());
  for (auto const& [attribute, what] : attributes) {
    int value = 0;
    if (cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS) fact(what, value, "");
  }
  begin = now_us();
  check(cuCtxCreate(&context, 0, device), "cuCtxCreate");
  fact("the first context", now_us() - begin, "us");
  std::size_t left = 0, total = 0;
  check(cuMemGetInfo(&left, &total), "cuMemGetInfo");
  fact("memory", static_cast<double>(total >> 20), "MiB");
  fact("free memory", static_cast<double>(left >> 20), "MiB");
  second_context(device);
  load("PTX of five kernels", gpu_facts_ptx);
  load("the same PTX again", gpu_facts_ptx);
  load("machine code of five kernels", gpu_facts_fatbin);
}

} // namespace pegasus::facts
