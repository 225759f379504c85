// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/facts/session.h"

#include "bench/gpu/facts/images.h"
#include "bench/gpu/facts/report.h"

#include <array>
#include <fmt/format.h>

namespace pegasus::facts {

std::string name_of(CUresult result) {
  char const* name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS && name != nullptr
             ? std::string(name)
             : fmt::format("error {}", static_cast<int>(result));
}

void check(CUresult result, char const* what) {
  if (result != CUDA_SUCCESS) throw std::runtime_error(fmt::format("{}: {}", what, name_of(result)));
}

Session::Session(Code code) {
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device_, 0), "cuDeviceGet");
  check(cuCtxCreate(&context_, 0, device_), "cuCtxCreate");
  CUresult const loaded = cuModuleLoadData(&module_, code == Code::ptx ? gpu_facts_ptx : gpu_facts_fatbin);
  if (loaded == CUDA_ERROR_NO_BINARY_FOR_GPU) throw NotHere("this device runs no machine code of ours");
  check(loaded, "cuModuleLoadData");
  for (auto const& [function, name] :
       std::array{std::pair(&empty_, "empty"), std::pair(&spin_, "spin"), std::pair(&endless_, "endless"),
                  std::pair(&fill_, "fill"), std::pair(&count_equal_, "count_equal")})
    check(cuModuleGetFunction(function, module_, name), "cuModuleGetFunction");
  check(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  check(cuMemAlloc(&scratch_, 4096), "cuMemAlloc");
  done_ = scratch_ + 64;
  calibrate();
}

int Session::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  check(cuDeviceGetAttribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

// The clock's rate while it is busy: by the host's clock, between two lengths of the same kernel.
void Session::calibrate() {
  auto const took = [this](double us) {
    double const begin = now_us();
    check(launch_spin(us, stream_), "a kernel");
    synchronize();
    return now_us() - begin;
  };
  took(10'000);
  double const length = took(20'000) - took(10'000);
  if (length > 100) cycles_per_us_ *= 10'000 / length;
}

CUresult Session::launch_spin(double microseconds, CUstream stream) {
  auto cycles = static_cast<std::uint64_t>(microseconds * cycles_per_us_);
  std::array<void*, 3> parameters{&cycles, &scratch_, &done_};
  return cuLaunchKernel(spin_, 1, 1, 1, 1, 1, 1, 0, stream, parameters.data(), nullptr);
}

CUresult Session::launch_empty(CUstream stream) {
  return cuLaunchKernel(empty_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr);
}

CUresult Session::launch_endless(Mapped const& until, double limit_s) {
  CUdeviceptr flag = until.flag(), rounds = until.rounds();
  CUdeviceptr over = scratch_ + 128;
  auto limit_ns = static_cast<std::uint64_t>(limit_s * 1e9);
  std::array<void*, 4> parameters{&flag, &rounds, &over, &limit_ns};
  if (CUresult const result = cuMemsetD8Async(over, 0, 4, stream_); result != CUDA_SUCCESS) return result;
  unsigned const blocks =
      until.usable() ? 16 * static_cast<unsigned>(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)) : 1;
  return cuLaunchKernel(endless_, blocks, 1, 1, 128, 1, 1, 0, stream_, parameters.data(), nullptr);
}

bool Session::done_within(double seconds) const {
  for (double const until = now_us() + seconds * 1e6; now_us() < until;) {
    CUresult const result = cuStreamQuery(stream_);
    if (result == CUDA_SUCCESS) return true;
    if (result != CUDA_ERROR_NOT_READY) check(result, "cuStreamQuery");
  }
  return false;
}

CUresult Session::launch_fill(CUdeviceptr words, std::uint64_t count, std::uint32_t value) {
  std::array<void*, 3> parameters{&words, &count, &value};
  return cuLaunchKernel(fill_, 256, 1, 1, 256, 1, 1, 0, stream_, parameters.data(), nullptr);
}

CUresult Session::launch_count_equal(CUdeviceptr words, std::uint64_t count, std::uint32_t value,
                                     CUdeviceptr found) {
  std::array<void*, 4> parameters{&words, &count, &value, &found};
  return cuLaunchKernel(count_equal_, 256, 1, 1, 256, 1, 1, 0, stream_, parameters.data(), nullptr);
}

double Session::spun_us() const {
  std::uint64_t cycles = 0;
  check(cuMemcpyDtoH(&cycles, scratch_, sizeof cycles), "cuMemcpyDtoH");
  return static_cast<double>(cycles) / cycles_per_us_;
}

Mapped::Mapped(Session const& session) {
  void* memory = nullptr;
  CUresult result = cuMemHostAlloc(&memory, 4096, CU_MEMHOSTALLOC_DEVICEMAP);
  if (result == CUDA_SUCCESS) result = cuMemHostGetDevicePointer(&device_, memory, 0);
  if (result == CUDA_SUCCESS) {
    host_ = static_cast<std::uint32_t volatile*>(memory);
    for (int i = 0; i < 32; ++i)
      host_[i] = 0;
    return;
  }
  note("no host memory can be mapped (" + name_of(result) +
       "): kernels end by their time limit, and are not watched");
  check(cuMemAlloc(&device_, 4096), "cuMemAlloc");
  check(cuMemsetD8Async(device_, 0, 4096, session.stream()), "cuMemsetD8Async");
  session.synchronize();
}

void Mapped::raise() const {
  if (usable()) host_[0] = 1;
}

void Mapped::lower() const {
  if (usable()) host_[0] = 0;
}

std::uint64_t Mapped::count() const {
  return usable() ? *reinterpret_cast<std::uint64_t const volatile*>(host_ + 16) : 0;
}

} // namespace pegasus::facts
