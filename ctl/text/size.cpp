// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/size.h"

#include <cmath>
#include <fmt/core.h>
#include <string_view>

namespace pegasus::ctl {

std::string format_size(std::uint64_t bytes) {
  constexpr std::string_view suffixes = "KMGT";
  if (bytes < 1024) return fmt::format("{}", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t i = 0;
  for (; value >= 1024 && i + 1 < suffixes.size(); ++i)
    value /= 1024;
  // One decimal only where it adds information: 64M, not 64.0M.
  bool const whole = value == std::floor(value) || value >= 100;
  return whole ? fmt::format("{:.0f}{}", value, suffixes[i]) : fmt::format("{:.1f}{}", value, suffixes[i]);
}

} // namespace pegasus::ctl
