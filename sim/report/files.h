// SPDX-License-Identifier: Apache-2.0
// What pegasus-sim writes. An error is "cannot write FILE: reason".
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace pegasus::sim {

using Written = tl::expected<void, std::string>;

[[nodiscard]] Written write_file(std::string const& path, std::string const& text);
// To standard output, with what others have printed there before.
[[nodiscard]] Written write_output(std::string const& text);

} // namespace pegasus::sim
