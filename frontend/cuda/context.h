// SPDX-License-Identifier: Apache-2.0
// A CUDA context: records which objects belong to it, over the task's one device context.
#pragma once

#include "frontend/cuda/driver.h"
#include "frontend/cuda/handles.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace pegasus::driver {

struct Context {
  using Handle = CUcontext;
  static constexpr Kind kind = Kind::context;

  CUcontext handle = nullptr;
  std::uint64_t id = 0;
  bool primary = false;
  std::atomic<bool> active = true; // the primary context's handle outlives its resets
  std::atomic<unsigned> flags = 0;
  unsigned api_version = 3020;
  std::atomic<unsigned> uses = 1; // cuCtxCreate, and each cuCtxAttach
  std::atomic<CUfunc_cache> cache = CU_FUNC_CACHE_PREFER_NONE;
  std::array<std::atomic<std::size_t>, CU_LIMIT_MAX> limits{};

  Context();
  void set_default_limits();
};

// The calling thread's stack of current contexts.
bool push_current(Context& context); // returns false if the stack is full
void pop_current();
void replace_current(Context* context); // pushes onto an empty stack; nullptr: pops
CUcontext top_of_stack();               // may be destroyed by now; nullptr if the stack is empty

// Frees everything that belongs to the context; if no other context is alive, also everything else
// on the device.
CUresult empty_context(Channel& channel, Context& context);

// `handle` or, if it is nullptr, the current context.
Context* context_or_current(CUcontext handle, CUresult& status);

inline bool valid_device(CUdevice device) { return device == 0; } // a task has one accelerator

} // namespace pegasus::driver
