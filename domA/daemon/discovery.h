// SPDX-License-Identifier: Apache-2.0
// Finds the accelerators that pegasusd serves, once, at its start.
#pragma once

#include "domA/daemon/options.h"
#include "domA/daemon/start_error.h"
#include "domA/device/device.h"
#include "domA/worker/start.h"

#include <chrono>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::daemon {

struct FoundAccelerator {
  worker::DeviceChoice device{};
  device::Profile profile;
  std::uint64_t memory_bytes = 0;          // memory that domains may use
  std::chrono::nanoseconds switch_cost{0}; // what it takes to go from one program's work to another's
};

// The accelerators that options.accelerator asks for, at least one; "auto": all of the first kind in
// device::kinds that exists. The error is a message for the operator.
[[nodiscard]] tl::expected<std::vector<FoundAccelerator>, StartError>
find_accelerators(Options const& options);

// The environment of a worker: empty, or the variables that configure the CUDA driver.
[[nodiscard]] std::vector<std::string> worker_environment(worker::DeviceChoice const& device);

} // namespace pegasus::daemon
