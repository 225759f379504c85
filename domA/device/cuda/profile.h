// SPDX-License-Identifier: Apache-2.0
// The properties of a GPU, queried from the driver once (Pegasus 3.2: the static profile).
#pragma once

#include "domA/device/cuda/driver.h"

#include <cstdint>
#include <span>

namespace pegasus::cuda {

// The number of devices that the driver sees.
[[nodiscard]] tl::expected<int, std::string> device_count(Driver const&);
// The profile of one of them, in the driver's order.
[[nodiscard]] tl::expected<device::Profile, std::string> profile_of(Driver const&, int ordinal);
// The position of the device with this UUID in the driver's order, which CUDA_VISIBLE_DEVICES changes.
[[nodiscard]] tl::expected<int, std::string> ordinal_of(Driver const&,
                                                        std::span<std::uint8_t const, 16> uuid);

} // namespace pegasus::cuda
