// SPDX-License-Identifier: Apache-2.0
#include "sim/report/csv.h"

namespace pegasus::sim {

Csv::Csv(std::initializer_list<std::string_view> header) {
  for (std::string_view const name : header)
    add(name);
  end_row();
}

Csv& Csv::add(std::string_view text) {
  std::string quoted = "\"";
  for (char const c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field(quoted + "\"");
}

Csv& Csv::field(std::string_view as_is) {
  if (!row_begins_) text_ += ",";
  row_begins_ = false;
  text_ += as_is;
  return *this;
}

void Csv::end_row() {
  text_ += "\r\n";
  row_begins_ = true;
}

} // namespace pegasus::sim
