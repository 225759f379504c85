// SPDX-License-Identifier: Apache-2.0
// CUDA Runtime API, "Device Management", "Peer Device Memory Access", versions and the profiler's switches.
#include "frontend/cudart/context.h"

#include "frontend/cudart/thread_state.h"

using namespace pegasus::cudart;

namespace {

constexpr unsigned scheduling_flags =
    cudaDeviceScheduleSpin | cudaDeviceScheduleYield | cudaDeviceScheduleBlockingSync;

bool valid_flags(unsigned flags) {
  unsigned const schedule = flags & scheduling_flags;
  bool const one_schedule = (schedule & (schedule - 1)) == 0;
  return one_schedule && (flags & ~static_cast<unsigned>(cudaDeviceMask)) == 0;
}

cudaError_t set_flags(Driver const& driver, int ordinal, unsigned flags) {
  CUdevice device = 0;
  if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess) return error;
  // Host memory is always mapped: the flag is accepted but is not part of a context's flags.
  return from_driver(
      driver.cuDevicePrimaryCtxSetFlags_v2(device, flags & ~static_cast<unsigned>(cudaDeviceMapHost)));
}

cudaError_t peer(Driver const& driver, int ordinal, CUcontext& context) {
  int self = 0;
  int count = 0;
  if (CUresult const result = driver.cuDeviceGetCount(&count); result != CUDA_SUCCESS)
    return from_driver(result);
  if (cudaError_t const error = current_device(driver, self); error != cudaSuccess) return error;
  if (ordinal < 0 || ordinal >= count || ordinal == self) return cudaErrorInvalidDevice;
  return primary_context(driver, ordinal, context);
}

} // namespace

PEGASUS_API cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return finish(cudaErrorInvalidValue);
  *count = 0;
  return with_driver([&](Driver const& driver) -> cudaError_t {
    CUresult const result = driver.cuDeviceGetCount(count);
    return result == CUDA_SUCCESS && *count == 0 ? cudaErrorNoDevice : from_driver(result);
  });
}

PEGASUS_API cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) { return current_device(driver, *device); });
}

PEGASUS_API cudaError_t cudaSetDevice(int device) {
  return with_driver([&](Driver const& driver) {
    cudaError_t const error = device < 0 ? cudaErrorInvalidDevice : select_device(driver, device);
    if (error == cudaSuccess) thread_state.device = device;
    return error;
  });
}

// Creates the device's context without making it current.
PEGASUS_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  bool const use_flags = (flags & cudaInitDeviceFlagsAreValid) != 0;
  if ((flags & ~static_cast<unsigned>(cudaInitDeviceFlagsAreValid)) != 0)
    return finish(cudaErrorInvalidValue);
  if (use_flags && !valid_flags(device_flags)) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUcontext context = nullptr;
    if (use_flags)
      if (cudaError_t const error = set_flags(driver, device, device_flags); error != cudaSuccess)
        return error;
    return primary_context(driver, device, context);
  });
}

PEGASUS_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  if (!valid_flags(flags)) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    int ordinal = 0;
    if (cudaError_t const error = current_device(driver, ordinal); error != cudaSuccess) return error;
    return set_flags(driver, ordinal, flags);
  });
}

PEGASUS_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  if (flags == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUcontext context = nullptr;
    if (driver.cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != nullptr &&
        context != thread_state.primary)
      return from_driver(driver.cuCtxGetFlags(flags));
    int ordinal = 0;
    int active = 0;
    CUdevice device = 0;
    if (cudaError_t const error = current_device(driver, ordinal); error != cudaSuccess) return error;
    if (cudaError_t const error = device_handle(driver, ordinal, device); error != cudaSuccess) return error;
    CUresult const result = driver.cuDevicePrimaryCtxGetState(device, flags, &active);
    *flags |= cudaDeviceMapHost; // implicit in contexts of the runtime API
    return from_driver(result);
  });
}

PEGASUS_API cudaError_t cudaSetValidDevices(int* devices, int count) {
  if (count < 0 || (count > 0 && devices == nullptr)) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    for (int i = 0; i < count; ++i) {
      CUdevice device = 0;
      if (cudaError_t const error = device_handle(driver, devices[i], device); error != cudaSuccess)
        return error;
    }
    set_default_device(count == 0 ? 0 : devices[0]);
    return cudaSuccess;
  });
}

PEGASUS_API cudaError_t cudaDeviceSynchronize() {
  return with_context([](Driver const& driver) { return driver.cuCtxSynchronize(); });
}

PEGASUS_API cudaError_t cudaDeviceReset() {
  return with_driver([](Driver const& driver) { return reset_device(driver); });
}

PEGASUS_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer_device) {
  if (can == nullptr) return finish(cudaErrorInvalidValue);
  return with_driver([&](Driver const& driver) {
    CUdevice from = 0;
    CUdevice to = 0;
    if (cudaError_t const error = device_handle(driver, device, from); error != cudaSuccess) return error;
    if (cudaError_t const error = device_handle(driver, peer_device, to); error != cudaSuccess) return error;
    return from_driver(driver.cuDeviceCanAccessPeer(can, from, to));
  });
}

PEGASUS_API cudaError_t cudaDeviceEnablePeerAccess(int peer_device, unsigned flags) {
  return with_context([&](Driver const& driver) {
    CUcontext context = nullptr;
    if (cudaError_t const error = peer(driver, peer_device, context); error != cudaSuccess) return error;
    return from_driver(driver.cuCtxEnablePeerAccess(context, flags));
  });
}

PEGASUS_API cudaError_t cudaDeviceDisablePeerAccess(int peer_device) {
  return with_context([&](Driver const& driver) {
    CUcontext context = nullptr;
    if (cudaError_t const error = peer(driver, peer_device, context); error != cudaSuccess) return error;
    return from_driver(driver.cuCtxDisablePeerAccess(context));
  });
}

PEGASUS_API cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return finish(cudaErrorInvalidValue);
  *version = runtime_version;
  return cudaSuccess;
}

// "If no driver is installed, then 0 is returned as the driver version."
PEGASUS_API cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return finish(cudaErrorInvalidValue);
  *version = 0;
  Driver const* const ready = driver();
  return ready == nullptr ? cudaSuccess : finish(ready->cuDriverGetVersion(version));
}

PEGASUS_API cudaError_t cudaProfilerStart() {
  return with_context([](Driver const& driver) { return driver.cuProfilerStart(); });
}

PEGASUS_API cudaError_t cudaProfilerStop() {
  return with_context([](Driver const& driver) { return driver.cuProfilerStop(); });
}
