// SPDX-License-Identifier: Apache-2.0
// Breaks text into lines between words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::cli {

// The lines of `text`, of at most `width` columns: only a word that is wider has a wider line, for itself. Where
// the text has a newline, a line begins.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// The same lines as one text, each but the first with `indent` blanks in front of it, each ended by a newline. `width`
// is that of the terminal, the blanks included.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

} // namespace pegasus::cli
