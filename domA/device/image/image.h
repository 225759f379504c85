// SPDX-License-Identifier: Apache-2.0
// Finds the PTX that the device will execute in the bytes of a program's image.
#pragma once

#include "domA/device/image/failure.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::image {

// image_kind as for MODULE_BEGIN in frontend/protocol/calls.h. 1: one image, told apart by its first bytes: a
// fatbin, PTX text (terminated by NUL), or a cubin, which may keep its PTX (cubin.h). 2: a set of images. compute_capability 75 is 7.5.
//
// Parts of a set without PTX for the device (the linked cubin of a program with separate compilation, a
// device runtime for newer devices) are skipped if another part has PTX for it. The texts are in the order of
// the parts. All texts together have at most 256 MiB, whatever the image says.
[[nodiscard]] tl::expected<std::vector<std::string>, Failure>
ptx_of_image(std::span<std::byte const> image, std::uint32_t image_kind, std::uint32_t compute_capability);

// The same of the parts of a set.
[[nodiscard]] tl::expected<std::vector<std::string>, Failure>
ptx_of_parts(std::vector<std::span<std::byte const>> const& parts, std::uint32_t compute_capability);

// The PTX of an image of kind 1 that the driver has to compile for this device. Returns nullopt if there is machine code for
// it, or no PTX.
[[nodiscard]] std::optional<std::string> ptx_to_compile(std::span<std::byte const> image,
                                                        std::uint32_t compute_capability);

} // namespace pegasus::image
