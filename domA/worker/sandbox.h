// SPDX-License-Identifier: Apache-2.0
// What a worker gives up before it reads the first byte that a guest wrote: files, processes, sockets,
// privileges. A guest that takes over the worker has its own call buffer and device memory, and the pages
// that workers share: engine.h and quota.h say what it can do there.
#pragma once

#include <cstdint>

namespace pegasus::worker {

struct Sandbox {
  std::uint64_t data_bytes = 0;     // limit on private memory
  std::uint64_t mapped_bytes = 0;   // shared pages that are mapped in addition
  std::uint64_t reserved_bytes = 0; // addresses without memory
  bool gpu = false;                 // the CUDA driver runs inside and gets only what it needs (sandbox_gpu.h)
  bool names_refusals = false;      // refused_calls.h
  bool opens_files = false;         // it may open files: Landlock or its root directory says which
};

// Call at the start: closes descriptors that pegasusd itself inherited without close-on-exec; the
// guest must not have them.
void close_inherited();
// Call before a driver opens files: none of them may get a number of start.h.
void reserve_numbers();
// Applies to all threads. Ends the process with a message if the sandbox cannot be set up.
void enter_sandbox(Sandbox const& sandbox);

} // namespace pegasus::worker
