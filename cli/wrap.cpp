// SPDX-License-Identifier: Apache-2.0
#include "cli/wrap.h"

#include "cli/printable.h"

#include <algorithm>

namespace pegasus::cli {
namespace {

// Takes what is in front of the separator off `text`, and the separator.
std::string_view take_until(std::string_view& text, char separator) {
  std::string_view const part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

} // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::string_view paragraph = take_until(text, '\n');
    lines.emplace_back();
    while (!paragraph.empty()) {
      std::string_view const word = take_until(paragraph, ' ');
      if (word.empty()) continue;
      std::string& current = lines.back();
      if (current.empty())
        current = word;
      else if (display_width(current) + 1 + display_width(word) <= width)
        current.append(" ").append(word);
      else
        lines.emplace_back(word);
    }
  }
  return lines;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  for (std::string const& line : wrap(text, width > indent ? width - indent : 1))
    out += (out.empty() || line.empty() ? "" : std::string(indent, ' ')) + line + '\n';
  return out;
}

} // namespace pegasus::cli
