// SPDX-License-Identifier: Apache-2.0
// The device memory that an image needs once it is loaded, computed before a driver reads it. Also checks
// that the sizes in the image lie within its bytes, because drivers take images without a length.
#pragma once

#include "domA/device/image/failure.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <tl/expected.hpp>

namespace pegasus::image {

struct DeviceBytes {
  std::uint64_t bytes = 0;
  bool complete = true; // false: includes PTX that this parser does not know; its variables are not counted
};

// An upper bound. For a cubin: its allocated sections. For PTX: its variables, and the size of its text as
// the bound for the compiled code. For a fatbin: the maximum of the entries that a driver could choose. For a
// set: the sum of its parts. `image_kind` and `compute_capability` are as in image.h. Fails for an image that
// no driver should read.
[[nodiscard]] tl::expected<DeviceBytes, Failure>
device_bytes(std::span<std::byte const> image, std::uint32_t image_kind, std::uint32_t compute_capability);

} // namespace pegasus::image
