// SPDX-License-Identifier: Apache-2.0
// A table as CSV (RFC 4180): lines end with CR LF, texts are in quotes, a value that there is not is empty.
#pragma once

#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace pegasus::sim {

class Csv {
public:
  explicit Csv(std::initializer_list<std::string_view> header);

  Csv& add(std::string_view text);
  // As many digits as it takes to read the same number again.
  template <typename Number>
  requires std::is_arithmetic_v<Number> Csv& add(Number value) {
    return std::isfinite(static_cast<double>(value)) ? field(fmt::format("{}", value)) : field("");
  }
  template <typename Number> Csv& add(std::optional<Number> value) { return value ? add(*value) : field(""); }
  void end_row();

  [[nodiscard]] std::string const& text() const { return text_; }

private:
  Csv& field(std::string_view as_is);

  std::string text_;
  bool row_begins_ = true;
};

} // namespace pegasus::sim
