// SPDX-License-Identifier: Apache-2.0
// NVIDIA's PTX compiler without a GPU: the driver's, in a library of its own, and the CUDA Toolkit's. Both are
// called by the toolkit's public names (nvPTXCompiler.h, nvJitLink.h).
#pragma once

#include <cstddef>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::real_driver {

// Loads the library and compiles an empty kernel. Returns the size of its machine code.
[[nodiscard]] tl::expected<std::size_t, std::string> compile_with(std::string const& library);

} // namespace pegasus::real_driver
