// SPDX-License-Identifier: Apache-2.0
// A table for a terminal: columns as wide as their widest cell, separated by two spaces, no trailing blanks.
#pragma once

#include <string>
#include <vector>

namespace pegasus::ctl {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::right; // most are numbers
};

class Table {
public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Cells beyond the columns are dropped, missing cells are empty; control characters are replaced.
  void add_row(std::vector<std::string> cells);
  // The title line and the rows, each ended by a newline.
  [[nodiscard]] std::string text() const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace pegasus::ctl
