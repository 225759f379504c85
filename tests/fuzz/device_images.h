// SPDX-License-Identifier: Apache-2.0
// Images for MODULE_LOAD: kernels that use every part of the accelerator, modules from the generator, damaged
// modules, linked sets of modules, any bytes.
#pragma once

#include "tests/fuzz/input.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::fuzz {

struct DeviceImage {
  std::vector<std::byte> bytes;
  std::uint32_t kind = 1; // as in MODULE_BEGIN
};

[[nodiscard]] DeviceImage make_image(Input& input);
[[nodiscard]] DeviceImage image_of(std::string_view ptx);
// Names of kernels and variables: some that images have, and some that no image has.
[[nodiscard]] std::string_view symbol(unsigned choice);

// The kernel "index", of (u64 buffer, u32 base), writes base + 3 * thread to the 32-bit words of the buffer.
[[nodiscard]] std::string_view known_kernels();

} // namespace pegasus::fuzz
