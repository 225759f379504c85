// SPDX-License-Identifier: Apache-2.0
// Which context a call works on (CUDA Runtime API, "Interactions with the CUDA Driver API"): the one that is
// current on the thread if there is one, else the primary context of the thread's device, made at the first
// call that needs it. Nothing is done at load time.
#pragma once

#include "frontend/cudart/driver.h"
#include "frontend/cudart/error.h"

namespace pegasus::cudart {

// The driver is loaded and initialised; no context is made.
[[nodiscard]] cudaError_t start(Driver const*& driver);

// A context is current on this thread.
[[nodiscard]] cudaError_t enter(Driver const*& driver, CUcontext& context);

// Counts device resets: what was obtained from the driver before the last one is gone.
[[nodiscard]] unsigned reset_generation();

// The process is leaving main: the driver may be gone already and is not called any more.
[[nodiscard]] bool leaving();

[[nodiscard]] cudaError_t device_handle(Driver const& driver, int ordinal, CUdevice& device);
[[nodiscard]] cudaError_t primary_context(Driver const& driver, int ordinal, CUcontext& context);

// The device of the current context, else the thread's choice, else the first.
[[nodiscard]] cudaError_t current_device(Driver const& driver, int& ordinal);
[[nodiscard]] cudaError_t select_device(Driver const& driver, int ordinal);
[[nodiscard]] cudaError_t reset_device(Driver const& driver);
// Threads that did not choose use this device.
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
