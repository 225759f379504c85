// SPDX-License-Identifier: Apache-2.0
// Parses PTX text into a Module: the syntax of PTX ISA 9.0 as used by nvcc (both of its front ends), NVRTC,
// libNVVM and hand-written text. It does not check the meaning of instructions, nor whether an address's
// symbol exists: exec/ does that. The time grows with the length of the text (times a logarithm); memory is
// limited, see Reader::budget. Safe for any bytes.
#pragma once

#include "domA/device/ptx/module.h"

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::ptx {

inline constexpr std::size_t max_text = std::size_t{256} << 20; // bytes; the largest seen is 26.8 MB

[[nodiscard]] tl::expected<Module, Error> parse(std::string text);

} // namespace pegasus::ptx
