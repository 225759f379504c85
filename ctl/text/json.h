// SPDX-License-Identifier: Apache-2.0
// JSON as the tools print it: keys in the order written; no exceptions for invalid strings or numbers.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace pegasus::ctl {

using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8 become U+FFFD: JSON cannot represent them otherwise.
[[nodiscard]] inline std::string json_text(Json const& document, int indent = 2) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Rounded to `digits` decimals; JSON has no infinity and no NaN, so those become 0.
[[nodiscard]] inline double json_number(double value, int digits = 4) {
  if (!std::isfinite(value)) return 0;
  double const scale = std::pow(10.0, digits);
  double const rounded = std::round(value * scale) / scale;
  return std::isfinite(rounded) ? rounded : value;
}

} // namespace pegasus::ctl
