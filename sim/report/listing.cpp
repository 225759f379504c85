// SPDX-License-Identifier: Apache-2.0
#include "sim/report/listing.h"

#include "sim/scenario/builtin.h"
#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <sstream>

namespace pegasus::sim {
namespace {

constexpr std::size_t title_column = 25;
constexpr std::size_t least_title = 30; // however narrow a terminal is

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the text's first number, or its first other character, away.
std::string_view take_part(std::string_view& text) {
  std::size_t const digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view const part = text.substr(0, std::max<std::size_t>(digits, 1));
  text.remove_prefix(part.size());
  return part;
}

// "100us, 1ms", or of many the first and the last.
std::string values_of(std::vector<Scenario> const& scenarios) {
  std::vector<std::string> values;
  for (Scenario const& scenario : scenarios)
    values.push_back(scenario.variant);
  if (values.size() > 4) return fmt::format("{} to {}", values.front(), values.back());
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string wrapped(std::string const& line, std::size_t columns) {
  if (columns == 0) return line + "\n";
  std::string text = line.substr(0, title_column);
  std::size_t column = text.size();
  std::istringstream words(line.substr(title_column));
  for (std::string word; words >> word;) {
    if (column > title_column && column + 1 + word.size() > std::max(columns, title_column + least_title)) {
      text += "\n" + std::string(title_column, ' ');
      column = title_column;
    }
    std::string const space(column > title_column ? 1 : 0, ' ');
    text += space + word;
    column += space.size() + word.size();
  }
  return text + "\n";
}

} // namespace

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    bool const numbers = is_digit(a.front()) && is_digit(b.front());
    std::string_view const own = take_part(a);
    std::string_view const other = take_part(b);
    if (numbers && own.size() != other.size()) return own.size() < other.size();
    if (own != other) return own < other;
  }
  return a.empty() && !b.empty();
}

std::string list_of_scenarios(std::size_t columns) {
  std::vector<BuiltinScenario> all(builtin_scenarios().begin(), builtin_scenarios().end());
  std::ranges::sort(all, natural_less, &BuiltinScenario::name);
  std::string text;
  for (BuiltinScenario const& builtin : all) {
    auto const scenarios = parse_scenarios(builtin.text, builtin.name).value();
    std::string title = scenarios.front().title;
    std::string const values = values_of(scenarios);
    for (std::size_t at = title.find('$'); at != std::string::npos; at = title.find('$', at + values.size()))
      title.replace(at, 1, values);
    text += wrapped(fmt::format("{:{}} {}", builtin.name, title_column - 1, title), columns);
  }
  return text;
}

} // namespace pegasus::sim
