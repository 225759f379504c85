// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/table.h"

#include "cli/printable.h"
#include "cli/words.h"
#include "cli/wrap.h"

#include <algorithm>

namespace pegasus::ctl {
namespace {

constexpr std::size_t gap = 2;         // between two columns
constexpr std::size_t least_text = 40; // columns of a text; where there are fewer, others are rather left out

using Widths = std::vector<std::optional<std::size_t>>;

std::size_t width_of(Widths const& widths) {
  std::size_t width = 0;
  for (auto const& column : widths)
    if (column) width += *column + gap;
  return width - std::min(width, gap);
}

// A list without blanks may be broken behind its commas.
std::vector<std::string> wrapped_lines(std::string const& cell, std::size_t width) {
  std::string spaced;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    spaced += cell[i];
    if (cell[i] == ',' && i + 1 < cell.size() && cell[i + 1] != ' ') spaced += ' ';
  }
  return cli::wrap(spaced, width);
}

std::vector<std::string> lines_of(std::string const& cell, std::size_t width) {
  return cli::display_width(cell) <= width ? std::vector{cell} : wrapped_lines(cell, width);
}

std::size_t longest_word(std::string const& cell) {
  std::size_t longest = 0;
  for (std::string const& word : wrapped_lines(cell, 1))
    longest = std::max(longest, cli::display_width(word));
  return longest;
}

// One row, which takes several lines if a cell is wrapped.
std::string row_text(std::vector<Column> const& columns, Widths const& widths,
                     std::vector<std::string> const& row) {
  std::vector<std::vector<std::string>> cells(row.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!widths[i]) continue;
    cells[i] = columns[i].text ? lines_of(row[i], *widths[i]) : std::vector{row[i]};
    height = std::max(height, cells[i].size());
  }
  std::string out;
  for (std::size_t at = 0; at < height; ++at) {
    std::string line;
    bool first = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!widths[i]) continue;
      std::string const cell = at < cells[i].size() ? cells[i][at] : "";
      std::string const blanks(*widths[i] - std::min(*widths[i], cli::display_width(cell)), ' ');
      line += std::string(first ? 0 : gap, ' ');
      line += columns[i].align == Align::left ? cell + blanks : blanks + cell;
      first = false;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

} // namespace

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells)
    cell = cli::printable(cell);
  rows_.push_back(std::move(cells));
}

Table::Widths Table::layout(Shown const& shown) const {
  Widths widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = cli::display_width(columns_[i].title);
    for (auto const& row : rows_)
      width = std::max(width, cli::display_width(row[i]));
    widths.emplace_back(width);
  }
  if (!shown.columns || shown.wide) return widths;
  Widths least = widths; // with texts as narrow as they may be while there is something to leave out
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].text) continue;
    least[i] = std::min(*least[i], least_text);
    for (auto const& row : rows_)
      least[i] = std::max(*least[i], longest_word(row[i]));
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].spared > 0) order.push_back(i);
  std::ranges::sort(order, {}, [this](std::size_t i) { return columns_[i].spared; });
  for (std::size_t const i : order)
    if (width_of(least) > *shown.columns) widths[i] = least[i] = std::nullopt;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].text || !widths[i]) continue;
    std::size_t const others = width_of(widths) - *widths[i];
    std::size_t const room = *shown.columns > others ? *shown.columns - others : 1;
    widths[i] = std::min(*widths[i], std::max(room, cli::display_width(columns_[i].title)));
  }
  return widths;
}

std::string Table::text(Shown const& shown) const {
  Widths const widths = layout(shown);
  std::vector<std::string> titles;
  for (Column const& column : columns_)
    titles.push_back(column.title);
  std::string out = row_text(columns_, widths, titles);
  for (auto const& row : rows_)
    out += row_text(columns_, widths, row);
  return out;
}

std::string Table::left_out(Shown const& shown) const {
  Widths const widths = layout(shown);
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!widths[i]) titles.push_back(columns_[i].title);
  if (titles.empty()) return "";
  return line_beside("left out, for want of room: " + cli::joined(titles) + "; --wide shows all\n", shown);
}

std::string line_beside(std::string_view line, Shown const& shown) {
  if (!shown.columns || shown.wide || cli::display_width(line) <= *shown.columns + 1)
    return std::string(line);
  return cli::wrapped(line, 0, *shown.columns);
}

} // namespace pegasus::ctl
