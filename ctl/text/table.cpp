// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/table.h"

#include "cli/printable.h"

#include <algorithm>

namespace pegasus::ctl {

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells)
    cell = cli::printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (Column const& column : columns_)
    widths.push_back(cli::display_width(column.title));
  for (auto const& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], cli::display_width(row[i]));

  std::string out;
  auto const add_line = [&](auto const& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::string const& cell = cell_of(i);
      std::string const blanks(widths[i] - cli::display_width(cell), ' ');
      line += i == 0 ? "" : "  ";
      line += columns_[i].align == Align::left ? cell + blanks : blanks + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add_line([&](std::size_t i) -> std::string const& { return columns_[i].title; });
  for (auto const& row : rows_)
    add_line([&](std::size_t i) -> std::string const& { return row[i]; });
  return out;
}

} // namespace pegasus::ctl
