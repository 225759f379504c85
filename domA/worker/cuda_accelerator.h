// SPDX-License-Identifier: Apache-2.0
// A worker's accelerator that is a GPU, by NVIDIA's driver: the functions of kinds.h.
#pragma once

#include "domA/worker/accelerator.h"
#include "domA/worker/probe.h"

namespace pegasus::worker {

[[nodiscard]] tl::expected<void, std::string> probe_cuda(char const* driver, int ordinal, Probed& found);
[[nodiscard]] tl::expected<std::unique_ptr<Accelerator>, std::string> open_cuda(Start const& start,
                                                                                Shared const& shared);

} // namespace pegasus::worker
