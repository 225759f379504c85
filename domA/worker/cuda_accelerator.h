// SPDX-License-Identifier: Apache-2.0
// The functions of kinds.h for a GPU with NVIDIA's driver.
#pragma once

#include "domA/worker/accelerator.h"
#include "domA/worker/probe.h"

namespace pegasus::worker {

[[nodiscard]] tl::expected<void, std::string> probe_cuda(Wanted const& wanted, Probed& found);
[[nodiscard]] tl::expected<std::unique_ptr<Accelerator>, std::string> open_cuda(Start const& start,
                                                                                Shared const& shared);

} // namespace pegasus::worker
