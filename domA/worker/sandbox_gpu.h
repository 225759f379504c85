// SPDX-License-Identifier: Apache-2.0
// What the CUDA driver needs inside the sandbox: it opens its device nodes again for a new context, maps
// them, uses ioctl on them, and has its own threads. Refused calls fail with EPERM and do not kill the
// worker: which calls a driver only tries depends on its version.
#pragma once

#include <seccomp.h>

namespace pegasus::worker {

// `files`: files may be opened. Returns a negative errno value if a rule was refused.
[[nodiscard]] int allow_gpu(scmp_filter_ctx filter, bool files);

} // namespace pegasus::worker
