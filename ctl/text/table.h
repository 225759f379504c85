// SPDX-License-Identifier: Apache-2.0
// A table for a terminal: columns as wide as their widest cell, separated by two spaces, no trailing blanks. Where the
// terminal is too narrow, the table gives way: the columns that can best be spared are left out, and a text is wrapped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::ctl {

enum class Align { left, right };

// How much of a table is shown.
struct Shown {
  bool wide = false;                       // also what is usually left out
  std::optional<std::size_t> columns = {}; // of the terminal; nullopt: there is none, or all is wanted
};

struct Column {
  std::string title;
  Align align = Align::right; // most are numbers
  // The order in which columns are left out where there is no room: 1 first; 0: never.
  unsigned spared = 0;
  bool text = false; // of words: its cells are wrapped where there is no room
};

class Table {
public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Cells beyond the columns are dropped, missing cells are empty; control characters are replaced.
  void add_row(std::vector<std::string> cells);
  // The title line and the rows, each ended by a newline.
  [[nodiscard]] std::string text(Shown const& shown = {}) const;
  // What text() leaves out, as a line for the end; empty: nothing.
  [[nodiscard]] std::string left_out(Shown const& shown) const;

private:
  // Of each column; nullopt: it is left out.
  using Widths = std::vector<std::optional<std::size_t>>;
  [[nodiscard]] Widths layout(Shown const& shown) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// A line that stands beside a table, wrapped where the terminal is narrower.
[[nodiscard]] std::string line_beside(std::string_view line, Shown const& shown);

} // namespace pegasus::ctl
