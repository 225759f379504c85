// SPDX-License-Identifier: Apache-2.0
// What an image takes of a device's memory once it is loaded, before a driver has seen it; and that what it
// says of itself is inside its bytes, for drivers take images without a length.
#pragma once

#include "domA/device/image/failure.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <tl/expected.hpp>

namespace pegasus::image {

struct DeviceBytes {
  std::uint64_t bytes = 0;
  bool complete = true; // false: PTX that our parser does not know is among it; its variables are not in it
};

// An upper bound: a cubin's allocated sections; of PTX the variables, and its text for the code that
// a compiler makes of it; of a fatbin the most that one of the entries takes that a driver would choose; of a
// set the sum of its parts. `image_kind` and `compute_capability` as in image.h. A failure: an image that no
// driver should read.
[[nodiscard]] tl::expected<DeviceBytes, Failure>
device_bytes(std::span<const std::byte> image, std::uint32_t image_kind, std::uint32_t compute_capability);

} // namespace pegasus::image
