// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pegasus::jit {

// Whether the accelerator of the current context, or this process's first one, is the software accelerator. False if there
// is none. Initialises CUDA if the program has not done so.
[[nodiscard]] bool executes_ptx_only();

} // namespace pegasus::jit
