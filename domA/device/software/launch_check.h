// SPDX-License-Identifier: Apache-2.0
// Whether a launch can be carried out at all, told before it takes the engine. The limits are those of
// exec/device_limits.h.
#pragma once

#include "domA/device/device.h"

namespace pegasus::software {

// invalid_value: dimensions, parameters or dynamic shared memory; launch_out_of_resources: more threads than
// this function was compiled for; cooperative_launch_too_large: more blocks than are resident at a time, as
// CUDA's occupancy counts them.
[[nodiscard]] device::Status check_launch(device::FunctionInfo const& function, device::Launch const& launch);

} // namespace pegasus::software
