// SPDX-License-Identifier: Apache-2.0
// What the CUDA driver needs inside the sandbox: it opens its device nodes again when a context is made anew,
// maps them, speaks to them by ioctl, and has threads of its own. Refused calls get EPERM, not death: which
// calls a driver merely tries is its version's business.
#pragma once

#include <seccomp.h>
#include <string>
#include <vector>

namespace pegasus::worker {

// Restricts files to the GPU's device nodes (gpu_nodes.h), and to reading the libraries and the kernel's
// files about the hardware (Landlock). false: this kernel cannot; then no file can be opened at all.
[[nodiscard]] bool only_gpu_files(std::vector<std::string> const& nodes);
// `files`: files may be opened. A negative errno value: a rule was refused.
[[nodiscard]] int allow_gpu(scmp_filter_ctx filter, bool files);

} // namespace pegasus::worker
