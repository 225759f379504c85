// SPDX-License-Identifier: Apache-2.0
// What a worker gives up before it looks at the first byte a guest wrote: files, processes, sockets,
// privileges. A guest that takes the worker over holds its own call buffer and device memory, and the pages
// that workers share: engine.h and quota.h say what it can do there.
#pragma once

#include <cstdint>

namespace pegasus::worker {

// Ends the process with a message when the sandbox cannot be set up. `data_bytes` bounds private memory.
void enter_sandbox(std::uint64_t data_bytes);

} // namespace pegasus::worker
