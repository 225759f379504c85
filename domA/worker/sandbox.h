// SPDX-License-Identifier: Apache-2.0
// What a worker gives up before it looks at the first byte a guest wrote: files, processes, sockets,
// privileges. A guest that takes the worker over holds its own call buffer and device memory, and the pages
// that workers share: engine.h and quota.h say what it can do there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::worker {

struct Sandbox {
  std::uint64_t data_bytes; // bounds private memory
  // The CUDA driver works inside: what it needs, and no more (sandbox_gpu.cpp). These are its GPU's nodes.
  std::optional<std::vector<std::string>> gpu{};
};

// At the start: what pegasusd itself was started with and never marked close-on-exec is none of the guest's.
void close_inherited();
// Ends the process with a message when the sandbox cannot be set up.
void enter_sandbox(Sandbox const& sandbox);

} // namespace pegasus::worker
