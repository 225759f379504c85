// SPDX-License-Identifier: Apache-2.0
// A file that a user names, as text.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace pegasus::sim {

// The error is "FILE: reason".
[[nodiscard]] tl::expected<std::string, std::string> read_file(std::string const& path);

} // namespace pegasus::sim
