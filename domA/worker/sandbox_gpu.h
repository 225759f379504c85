// SPDX-License-Identifier: Apache-2.0
// What the CUDA driver needs inside the sandbox: it opens its device nodes again when a context is made anew,
// maps them, speaks to them by ioctl, and has threads of its own. Refused calls get EPERM, not death: which
// calls a driver merely tries is its version's business.
#pragma once

#include <seccomp.h>

namespace pegasus::worker {

// `files`: files may be opened. A negative errno value: a rule was refused.
[[nodiscard]] int allow_gpu(scmp_filter_ctx filter, bool files);

} // namespace pegasus::worker
