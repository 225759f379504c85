// SPDX-License-Identifier: Apache-2.0
// Which accelerators pegasusd serves: found out once, at its start.
#pragma once

#include "domA/daemon/options.h"
#include "domA/device/device.h"
#include "domA/worker/start.h"

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::daemon {

struct FoundAccelerator {
  worker::DeviceChoice device{};
  device::Profile profile;
  std::uint64_t memory_bytes = 0; // of it that domains may use
};

// What options.accelerator asks for, at least one; "auto": all of the first kind of device::kinds of which
// there is one. The error is a message for the operator.
[[nodiscard]] tl::expected<std::vector<FoundAccelerator>, std::string>
find_accelerators(Options const& options);

// What a worker finds in its environment: nothing, or what the CUDA driver is set up by.
[[nodiscard]] std::vector<std::string> worker_environment(worker::DeviceChoice const& device);

} // namespace pegasus::daemon
