// SPDX-License-Identifier: Apache-2.0
// Chooses the context of a call (CUDA Runtime API, "Interactions with the CUDA Driver API"): the thread's
// current context if there is one, otherwise the primary context of the thread's device, created at the first
// call that needs it. Nothing is done at load time.
#pragma once

#include "frontend/cudart/driver.h"
#include "frontend/cudart/error.h"

namespace pegasus::cudart {

// Loads and initialises the driver; creates no context.
[[nodiscard]] cudaError_t start(Driver const*& driver);

// Makes a context current on this thread.
[[nodiscard]] cudaError_t enter(Driver const*& driver, CUcontext& context);

// Counts device resets: objects obtained from the driver before the last reset are gone.
[[nodiscard]] unsigned reset_generation();

// The process is leaving main: the driver may be unloaded and is no longer called.
[[nodiscard]] bool leaving();

[[nodiscard]] cudaError_t device_handle(Driver const& driver, int ordinal, CUdevice& device);
[[nodiscard]] cudaError_t primary_context(Driver const& driver, int ordinal, CUcontext& context);

// The device of the current context, else the thread's choice, else the first device.
[[nodiscard]] cudaError_t current_device(Driver const& driver, int& ordinal);
[[nodiscard]] cudaError_t select_device(Driver const& driver, int ordinal);
[[nodiscard]] cudaError_t reset_device(Driver const& driver);
// The device of threads that did not choose one.
void set_default_device(int ordinal);

// The body of most exported functions: `call(Driver const&)` returns a cudaError_t or a CUresult.
template <class Call> cudaError_t with_driver(Call&& call) {
  Driver const* driver = nullptr;
  if (cudaError_t const error = start(driver); error != cudaSuccess) return finish(error);
  return finish(call(*driver));
}
template <class Call> cudaError_t with_context(Call&& call) {
  Driver const* driver = nullptr;
  CUcontext context = nullptr;
  if (cudaError_t const error = enter(driver, context); error != cudaSuccess) return finish(error);
  return finish(call(*driver));
}

} // namespace pegasus::cudart
