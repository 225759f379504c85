// SPDX-License-Identifier: Apache-2.0
// PTX text to a Module: syntax of PTX ISA 9.0 as nvcc (both of its front ends), NVRTC, libNVVM and
// hand-written text use it. What instructions mean is not looked at, nor whether an address's symbol exists:
// exec/ does that. Time grows with the length of the text (times a logarithm); memory is bounded, see
// Reader::budget. Any bytes are safe.
#pragma once

#include "domA/device/ptx/module.h"

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::ptx {

inline constexpr std::size_t longest_text = std::size_t{256} << 20; // bytes; the largest seen is 26.8 MB

[[nodiscard]] tl::expected<Module, Error> parse(std::string text);

} // namespace pegasus::ptx
