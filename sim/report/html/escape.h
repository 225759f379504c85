// SPDX-License-Identifier: Apache-2.0
// Texts of a scenario in a page, and in a command to copy. Their author is not trusted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pegasus::sim::html {

// For an element or a quoted attribute. Control characters become U+FFFD; a line feed stays.
[[nodiscard]] std::string escaped(std::string_view text);
// At most `characters` of UTF-8 text, with an ellipsis for those in the middle that are left out: names often
// differ at their ends. Not escaped.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters);
// One word of a command for a POSIX shell, in quotes if it needs them.
[[nodiscard]] std::string shell_word(std::string_view text);

} // namespace pegasus::sim::html
