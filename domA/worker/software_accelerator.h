// SPDX-License-Identifier: Apache-2.0
// The functions of kinds.h for the CPU as accelerator.
#pragma once

#include "domA/worker/accelerator.h"
#include "domA/worker/probe.h"

namespace pegasus::worker {

[[nodiscard]] tl::expected<void, std::string> probe_software(Wanted const& wanted, Probed& found);
[[nodiscard]] tl::expected<std::unique_ptr<Accelerator>, std::string> open_software(Start const& start,
                                                                                    Shared const& shared);

} // namespace pegasus::worker
