// SPDX-License-Identifier: Apache-2.0
#include "frontend/cuda/driver.h"

#include "frontend/cuda/errors.h"
#include "frontend/cuda/visible_devices.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace pegasus::driver {
namespace {

std::atomic<bool> initialised = false;
std::atomic<CUresult> sticky = CUDA_SUCCESS;
std::atomic<std::uint64_t> epoch = 1;
std::atomic<std::uint64_t> last_id = 0;
std::mutex said_mutex;

} // namespace

CUresult initialise() {
  int status = 0;
  Channel* const channel = Channel::get(status);
  if (channel == nullptr) return static_cast<CUresult>(status);
  char const* const devices = std::getenv("CUDA_VISIBLE_DEVICES");
  if (devices != nullptr && !visible(devices, channel->profile().uuid)) {
    static bool said = false;
    say_once(said, "CUDA_VISIBLE_DEVICES hides the accelerator: a program has one, number 0");
    return CUDA_ERROR_NO_DEVICE;
  }
  initialised.store(true, std::memory_order_release);
  return CUDA_SUCCESS;
}

Channel* open_channel(CUresult& status) {
  if (!initialised.load(std::memory_order_acquire)) {
    status = CUDA_ERROR_NOT_INITIALIZED;
    return nullptr;
  }
  int answer = 0;
  Channel* const channel = Channel::get(answer);
  status = static_cast<CUresult>(answer);
  return channel;
}

// A status that is not an error code of CUDA becomes CUDA_ERROR_UNKNOWN.
CUresult result(int status) {
  bool const possible = status >= CUDA_SUCCESS && status <= CUDA_ERROR_UNKNOWN;
  auto const value = possible ? static_cast<CUresult>(status) : CUDA_ERROR_UNKNOWN;
  if (value != CUDA_SUCCESS && is_sticky(value)) {
    CUresult none = CUDA_SUCCESS;
    sticky.compare_exchange_strong(none, value, std::memory_order_relaxed);
  }
  return value;
}

CUresult sticky_error() { return sticky.load(std::memory_order_relaxed); }

std::uint64_t device_epoch() { return epoch.load(std::memory_order_acquire); }

CUresult reset_device(Channel& channel) {
  CUresult const status = ask(channel, pegasus_context_reset_request{}).status;
  epoch.fetch_add(1, std::memory_order_acq_rel);
  // A dead channel stays dead.
  sticky.store(is_sticky(status) ? status : CUDA_SUCCESS, std::memory_order_relaxed);
  return status;
}

int attribute(Channel const& channel, CUdevice_attribute number) {
  bool const of_host_window = number == CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY ||
                              number == CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY ||
                              number == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
  if (of_host_window && channel.host_window_bytes() == 0) return 0;   // the program could not map it
  if (number == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) return 1; // this library's own (pool.h)
  auto const index = static_cast<unsigned>(number);
  return index < PEGASUS_ATTRIBUTES ? channel.profile().attribute[index] : 0;
}

std::uint64_t next_id() { return last_id.fetch_add(1, std::memory_order_relaxed) + 1; }

void say_once(bool& said, char const* text) {
  std::lock_guard lock(said_mutex);
  if (!said) std::fprintf(stderr, "pegasus: %s\n", text);
  said = true;
}

} // namespace pegasus::driver

CUresult cuInit(unsigned flags) {
  return flags == 0 ? pegasus::driver::initialise() : CUDA_ERROR_INVALID_VALUE;
}
