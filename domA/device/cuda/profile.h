// SPDX-License-Identifier: Apache-2.0
// What a GPU is, asked of the driver once (Pegasus 3.2: the static profile).
#pragma once

#include "domA/device/cuda/driver.h"

#include <vector>

namespace pegasus::cuda {

// Of all devices that the driver sees, in its order.
[[nodiscard]] tl::expected<std::vector<device::Profile>, std::string> profiles(Driver const&);

} // namespace pegasus::cuda
