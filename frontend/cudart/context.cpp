// SPDX-License-Identifier: Apache-2.0
#include "frontend/cudart/context.h"

#include "frontend/cudart/lock.h"
#include "frontend/cudart/thread_state.h"

#include <atomic>
#include <cstdlib>

namespace pegasus::cudart {

constinit thread_local ThreadState thread_state;

namespace {

constexpr int max_devices = 64;

Mutex primaries_lock;
CUcontext primaries[max_devices]; // nullptr: not retained; guarded by primaries_lock
std::atomic<bool> initialised{false};
std::atomic<unsigned> generation{1};
std::atomic<int> default_device{0};
std::atomic<bool> exiting{false};

// Registered at the first use: it then runs before the handlers that programs registered when they were
// loaded, such as __cudaUnregisterFatBinary.
void note_exit() { exiting.store(true, std::memory_order_relaxed); }

int chosen_device() {
  return thread_state.device >= 0 ? thread_state.device : default_device.load(std::memory_order_relaxed);
}

} // namespace

unsigned reset_generation() { return generation.load(std::memory_order_acquire); }
bool leaving() { return exiting.load(std::memory_order_relaxed); }
void set_default_device(int ordinal) { default_device.store(ordinal, std::memory_order_relaxed); }

cudaError_t start(Driver const*& ready) {
  ready = driver();
  if (ready == nullptr) return cudaErrorInsufficientDriver;
  if (initialised.load(std::memory_order_acquire)) return cudaSuccess;
  if (CUresult const result = ready->cuInit(0); result != CUDA_SUCCESS) return from_driver(result);
  if (!initialised.exchange(true, std::memory_order_acq_rel)) std::atexit(note_exit);
  return cudaSuccess;
}

cudaError_t device_handle(Driver const& driver, int ordinal, CUdevice& device) {
  CUresult const result = driver.cuDeviceGet(&device, ordinal);
  return result == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidDevice : from_driver(result);
}

cudaError_t primary_context(Driver const& driver, int ordinal, CUcontext& context) {
  CUdevice device = 0;
  if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess) return error;
  if (ordinal >= max_devices) return cudaErrorInvalidDevice;
  Lock const lock(primaries_lock);
  CUcontext& primary = primaries[ordinal];
  if (primary == nullptr) {
    if (CUresult const result = driver.cuDevicePrimaryCtxRetain(&primary, device); result != CUDA_SUCCESS) {
      primary = nullptr;
      return from_driver(result);
    }
  }
  context = primary;
  return cudaSuccess;
}

cudaError_t select_device(Driver const& driver, int ordinal) {
  unsigned const now = reset_generation();
  CUcontext context = nullptr;
  if (cudaError_t const error = primary_context(driver, ordinal, context); error != cudaSuccess) return error;
  if (CUresult const result = driver.cuCtxSetCurrent(context); result != CUDA_SUCCESS)
    return from_driver(result);
  thread_state.primary = context;
  thread_state.generation = now;
  return cudaSuccess;
}

cudaError_t enter(Driver const*& ready, CUcontext& context) {
  if (cudaError_t const error = start(ready); error != cudaSuccess) return error;
  CUcontext current = nullptr;
  if (CUresult const result = ready->cuCtxGetCurrent(&current); result != CUDA_SUCCESS)
    return from_driver(result);
  // After a reset, by any thread, the primary context must be retained again.
  bool const stale = current == thread_state.primary && thread_state.generation != reset_generation();
  if (current == nullptr || stale) {
    if (cudaError_t const error = select_device(*ready, chosen_device()); error != cudaSuccess) return error;
    current = thread_state.primary;
  }
  context = current;
  return cudaSuccess;
}

cudaError_t current_device(Driver const& driver, int& ordinal) {
  CUcontext current = nullptr;
  CUdevice device = 0;
  if (driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current != nullptr &&
      driver.cuCtxGetDevice(&device) == CUDA_SUCCESS) {
    ordinal = device; // the driver's devices are numbered by ordinal
    return cudaSuccess;
  }
  ordinal = chosen_device();
  return cudaSuccess;
}

cudaError_t reset_device(Driver const& driver) {
  int ordinal = 0;
  CUdevice device = 0;
  if (cudaError_t const error = current_device(driver, ordinal); error != cudaSuccess) return error;
  if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess) return error;
  Lock const lock(primaries_lock);
  if (ordinal >= max_devices || primaries[ordinal] == nullptr) { // there is none
    forget_errors();
    return cudaSuccess;
  }
  CUresult const result = driver.cuDevicePrimaryCtxReset_v2(device);
  // Also releases the reference: the next call that needs the context takes a new one.
  driver.cuDevicePrimaryCtxRelease_v2(device);
  primaries[ordinal] = nullptr;
  driver.cuCtxSetCurrent(nullptr);
  thread_state.primary = nullptr;
  generation.fetch_add(1, std::memory_order_acq_rel);
  if (result == CUDA_SUCCESS) forget_errors();
  return from_driver(result);
}

} // namespace pegasus::cudart
