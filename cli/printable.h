// SPDX-License-Identifier: Apache-2.0
// Makes untrusted text (a guest's program name, a daemon's answer) safe for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pegasus::cli {

// Control characters (C0, DEL, and C1 in UTF-8) become '?': no text can move the cursor or set a title.
[[nodiscard]] std::string printable(std::string_view text);

// Columns on a terminal: code points of UTF-8, each taken as one column.
[[nodiscard]] std::size_t display_width(std::string_view text);

} // namespace pegasus::cli
