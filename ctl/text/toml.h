// SPDX-License-Identifier: Apache-2.0
// Values of a TOML document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pegasus::ctl {

// The text as a basic string, with its quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string toml_text(std::string_view text);

// A time as scenarios have it, to the nanosecond: "2.5ms", "0s". Without quotes.
[[nodiscard]] std::string time_text(std::uint64_t ns);

} // namespace pegasus::ctl
