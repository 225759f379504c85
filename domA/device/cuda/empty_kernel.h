// SPDX-License-Identifier: Apache-2.0
// The smallest program, in PTX that every GPU runs.
#pragma once

#include "domA/device/cuda/driver.h"

namespace pegasus::cuda {

inline constexpr char empty_kernel[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry empty() { ret; }\n";

// Compiles it in the current context. The error says what the driver lacks.
[[nodiscard]] tl::expected<void, std::string> try_compiler(Driver const& driver);

} // namespace pegasus::cuda
