// SPDX-License-Identifier: Apache-2.0
// What a GPU is, asked of the driver once (Pegasus 3.2: the static profile).
#pragma once

#include "domA/device/cuda/driver.h"

#include <cstdint>
#include <span>

namespace pegasus::cuda {

// How many devices the driver sees.
[[nodiscard]] tl::expected<int, std::string> device_count(Driver const&);
// Of one of them, in the driver's order.
[[nodiscard]] tl::expected<device::Profile, std::string> profile_of(Driver const&, int ordinal);
// Where the device of this UUID stands in the driver's order, which CUDA_VISIBLE_DEVICES changes.
[[nodiscard]] tl::expected<int, std::string> ordinal_of(Driver const&,
                                                        std::span<const std::uint8_t, 16> uuid);

} // namespace pegasus::cuda
