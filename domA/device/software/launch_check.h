// SPDX-License-Identifier: Apache-2.0
// Checks whether a launch is possible at all, before it takes the engine. The limits are in
// exec/device_limits.h.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/exec/device_limits.h"

namespace pegasus::software {

// invalid_value: dimensions, parameters or dynamic shared memory; launch_out_of_resources: more threads than
// this function was compiled for; cooperative_launch_too_large: more blocks than can be resident at a time,
// by CUDA's occupancy.
[[nodiscard]] device::Status check_launch(device::FunctionInfo const& function, device::Launch const& launch,
                                          DeviceLimits const& limits);

} // namespace pegasus::software
