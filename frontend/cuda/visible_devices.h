// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES (CUDA Programming Guide, "CUDA Environment Variables"), for a program with one device, number 0.
#pragma once

#include <span>
#include <string_view>

namespace pegasus::driver {

// True if the list's first entry is the device: its number, or the beginning of its UUID, "GPU-" with hexadecimal digits.
// The first entry that names none ends the list, so others do not matter. `uuid`: 16 bytes.
[[nodiscard]] bool visible(std::string_view list, std::span<unsigned char const> uuid);

} // namespace pegasus::driver
