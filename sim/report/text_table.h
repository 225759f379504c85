// SPDX-License-Identifier: Apache-2.0
// Columns as wide as what stands in them: the first at the left, the others at the right.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pegasus::sim {

class TextTable {
public:
  // All rows have as many cells as the first.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // `indent` stands before each line.
  [[nodiscard]] std::string text(std::string const& indent = "") const;

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace pegasus::sim
