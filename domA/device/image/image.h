// SPDX-License-Identifier: Apache-2.0
// From the bytes that a program hands to the device to the PTX that the device will run.
#pragma once

#include "domA/device/image/failure.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::image {

// image_kind as in MODULE_BEGIN of frontend/protocol/calls.h. 1: one image, told apart by its first bytes: a
// fatbin, PTX text (a NUL ends it), or a cubin. 2: a set of such. compute_capability 75 is 7.5.
//
// Of a set, parts without PTX for the device (the linked cubin of a program with separate compilation, a
// device runtime for newer devices) are left out as long as another part has some. The texts are in the
// parts' order. Bounded: all texts together have at most 256 MiB, whatever the image says.
[[nodiscard]] tl::expected<std::vector<std::string>, Failure>
ptx_of_image(std::span<const std::byte> image, std::uint32_t image_kind, std::uint32_t compute_capability);

} // namespace pegasus::image
