// SPDX-License-Identifier: Apache-2.0
// What a worker gives up before it looks at the first byte a guest wrote: files, processes, sockets,
// privileges. A guest that takes the worker over holds its own call buffer and device memory, and the pages
// that workers share: engine.h and quota.h say what it can do there.
#pragma once

#include <cstdint>

namespace pegasus::worker {

struct Sandbox {
  std::uint64_t data_bytes = 0;   // bounds private memory
  std::uint64_t mapped_bytes = 0; // what is mapped besides: pages that are shared
  bool gpu = false;               // the CUDA driver works inside: what it needs, and no more (sandbox_gpu.h)
  bool opens_files = false;       // that it may open files: only_files() holds
};

// At the start: what pegasusd itself was started with and never marked close-on-exec is none of the guest's.
void close_inherited();
// Before a driver opens files: none of them is to have a number of start.h.
void reserve_numbers();
// For all threads. Ends the process with a message when the sandbox cannot be set up.
void enter_sandbox(Sandbox const& sandbox);

} // namespace pegasus::worker
