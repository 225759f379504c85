// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/literal.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace pegasus::ptx {
namespace {

std::optional<std::uint64_t> integer(std::string_view digits, int base) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// 0f3F800000 and 0d3FF0000000000000: the bits of the number, with all digits.
std::optional<Constant> float_bits(std::string_view digits, bool single) {
  if (digits.size() != (single ? 8u : 16u)) return std::nullopt;
  auto const bits = integer(digits, 16);
  if (!bits) return std::nullopt;
  return Constant{Constant::Kind::f64, single, *bits};
}

std::optional<Constant> decimal_float(std::string_view text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) // as in C, 1e999 is infinity and 1e-999 is zero
    value = text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos ? HUGE_VAL
                                                                                                   : 0.0;
  else if (error != std::errc{})
    return std::nullopt;
  return Constant::of(value);
}

std::optional<Constant> whole_number(std::string_view text) {
  bool const unsigned_suffix = text.back() == 'U' || text.back() == 'u';
  if (unsigned_suffix) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    char const mark = text[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  auto const value = integer(text, base);
  if (!value) return std::nullopt;
  // "Signed unless the value does not fit .s64 or the literal has the suffix U."
  if (unsigned_suffix || *value >> 63) return Constant::of(*value);
  return Constant::of(static_cast<std::int64_t>(*value));
}

} // namespace

double Constant::value() const {
  switch (kind) {
  case Kind::s64:
    return static_cast<double>(static_cast<std::int64_t>(bits));
  case Kind::u64:
    return static_cast<double>(bits);
  case Kind::f64:
    break;
  }
  return single ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                : std::bit_cast<double>(bits);
}

std::optional<Constant> literal(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text.size() > 2 && text[0] == '0') {
    char const mark = text[1];
    if (mark == 'f' || mark == 'F') return float_bits(text.substr(2), true);
    if (mark == 'd' || mark == 'D') return float_bits(text.substr(2), false);
    if (mark == 'x' || mark == 'X') return whole_number(text);
  }
  if (text.find_first_of(".eE") != std::string_view::npos) return decimal_float(text);
  return whole_number(text);
}

} // namespace pegasus::ptx
