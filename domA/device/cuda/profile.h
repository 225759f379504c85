// SPDX-License-Identifier: Apache-2.0
// What a GPU is, asked of the driver once (Pegasus 3.2: the static profile).
#pragma once

#include "domA/device/cuda/driver.h"

namespace pegasus::cuda {

// How many devices the driver sees.
[[nodiscard]] tl::expected<int, std::string> device_count(Driver const&);
// Of one of them, in the driver's order.
[[nodiscard]] tl::expected<device::Profile, std::string> profile_of(Driver const&, int ordinal);

} // namespace pegasus::cuda
