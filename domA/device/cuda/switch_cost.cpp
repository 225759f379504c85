// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/switch_cost.h"

#include "domA/device/cuda/empty_kernel.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace pegasus::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int launches = 64; // of a measurement
constexpr int measurements = 5;
constexpr std::chrono::nanoseconds max_cost = std::chrono::milliseconds(10);

// A context that can launch an empty kernel. Made current when it is made.
class Launcher {
public:
  Launcher(Driver const& driver, CUdevice device) : driver_(driver) {
    CUmodule module = nullptr;
    ready_ = driver_.cuCtxCreate(&context_, 0, device) == CUDA_SUCCESS &&
             driver_.cuModuleLoadDataEx(&module, empty_kernel, 0, nullptr, nullptr) == CUDA_SUCCESS &&
             driver_.cuModuleGetFunction(&kernel_, module, "empty") == CUDA_SUCCESS;
  }
  ~Launcher() {
    if (context_ != nullptr) driver_.cuCtxDestroy(context_);
  }
  Launcher(Launcher const&) = delete;
  Launcher& operator=(Launcher const&) = delete;

  [[nodiscard]] bool ready() const { return ready_; }
  // And waits for it.
  [[nodiscard]] bool launch() const {
    CUlaunchConfig one{};
    one.gridDimX = one.gridDimY = one.gridDimZ = 1;
    one.blockDimX = one.blockDimY = one.blockDimZ = 1;
    return driver_.cuCtxSetCurrent(context_) == CUDA_SUCCESS &&
           driver_.cuLaunchKernelEx(&one, kernel_, nullptr, nullptr) == CUDA_SUCCESS &&
           driver_.cuCtxSynchronize() == CUDA_SUCCESS;
  }

private:
  Driver const& driver_;
  CUcontext context_ = nullptr;
  CUfunction kernel_ = nullptr;
  bool ready_ = false;
};

// The least of some measurements: what else the host and the device do only makes one longer.
std::optional<Clock::duration> time_of(std::array<Launcher const*, 2> const& by_turns) {
  auto least = Clock::duration::max();
  for (int measurement = 0; measurement < measurements; ++measurement) {
    auto const began = Clock::now();
    for (int n = 0; n < launches; ++n)
      if (!by_turns[static_cast<std::size_t>(n % 2)]->launch()) return std::nullopt;
    least = std::min(least, Clock::now() - began);
  }
  return least;
}

} // namespace

std::optional<std::int64_t> switch_cost(Driver const& driver, int ordinal) {
  CUdevice device = 0;
  if (driver.cuDeviceGet(&device, ordinal) != CUDA_SUCCESS) return std::nullopt;
  Launcher const first(driver, device), second(driver, device);
  if (!first.ready() || !second.ready()) return std::nullopt;
  auto const alone = time_of({&first, &first});
  auto const both = time_of({&first, &second});
  if (!alone || !both) return std::nullopt;
  std::chrono::nanoseconds const cost = (*both - *alone) / launches;
  return std::clamp(cost, std::chrono::nanoseconds{0}, max_cost).count();
}

} // namespace pegasus::cuda
