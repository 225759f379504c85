// SPDX-License-Identifier: Apache-2.0
// Sizes as people read them: K, M, G and T are binary.
#pragma once

#include <cstdint>
#include <string>

namespace pegasus::ctl {

// "64M", "1.5G", "812" : for tables.
[[nodiscard]] std::string format_size(std::uint64_t bytes);

} // namespace pegasus::ctl
