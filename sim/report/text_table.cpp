// SPDX-License-Identifier: Apache-2.0
#include "sim/report/text_table.h"

#include <algorithm>

namespace pegasus::sim {
namespace {

// Of UTF-8 text, in characters.
std::size_t width_of(std::string const& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

} // namespace

std::string TextTable::text(std::string const& indent) const {
  std::vector<std::size_t> widths;
  for (auto const& row : rows_) {
    widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (auto const& row : rows_) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string const space(widths[i] - width_of(row[i]), ' ');
      line += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace pegasus::sim
