// SPDX-License-Identifier: Apache-2.0
#include "sim/report/units.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace pegasus::sim {

std::string time_text(double us) {
  static constexpr std::array<std::string_view, 3> units{"us", "ms", "s"};
  std::size_t unit = 0;
  // What would be rounded to 1000 of a unit is 1 of the next.
  for (; us >= 999.5 && unit + 1 < units.size(); ++unit)
    us /= 1000;
  std::string digits = fmt::format("{:.{}f}", us, us < 9.95 ? 1 : 0);
  if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
  return fmt::format("{} {}", digits, units[unit]);
}

} // namespace pegasus::sim
