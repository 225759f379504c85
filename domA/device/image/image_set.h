// SPDX-License-Identifier: Apache-2.0
// Several images that form one program (separate compilation): struct pegasus_image_set of
// frontend/protocol/calls.h, which this folder may not include. A u32 magic, a u32 number of parts, a u64
// length for each part, then the parts, each padded to 8 bytes.
#pragma once

#include "domA/device/image/failure.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::image {

inline constexpr std::uint32_t image_set_magic = 0x54455350; // "PSET", PEGASUS_IMAGE_SET_MAGIC
inline constexpr std::uint32_t image_set_most_parts = 65536; // PEGASUS_IMAGE_SET_PARTS_MAX

[[nodiscard]] tl::expected<std::vector<std::span<std::byte const>>, Failure>
parts_of_set(std::span<std::byte const> image);

} // namespace pegasus::image
