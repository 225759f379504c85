// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/size.h"

#include "ctl/text/printable.h"

#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace pegasus::ctl {
namespace {

constexpr double longest_time = 1e18; // nanoseconds; as a whole number it must not overflow
constexpr std::string_view size_rule = "write bytes or a number with K, M, G or T, for example 64M or 1G";

// The power of two a suffix stands for, or -1. "", K, KB, KiB, k, ...
int shift_of(std::string_view suffix) {
  if (suffix.empty()) return 0;
  int shift = -1;
  switch (suffix.front() & ~0x20) {
  case 'K':
    shift = 10;
    break;
  case 'M':
    shift = 20;
    break;
  case 'G':
    shift = 30;
    break;
  case 'T':
    shift = 40;
    break;
  default:
    return suffix == "B" ? 0 : -1;
  }
  suffix.remove_prefix(1);
  return suffix.empty() || suffix == "B" || suffix == "iB" ? shift : -1;
}

// 0: it is no unit.
double nanoseconds_in(std::string_view unit, bool may_be_missing) {
  if (unit == "s") return 1e9;
  if (unit == "ms") return 1e6;
  if (unit == "us") return 1e3;
  return unit == "ns" || (unit.empty() && may_be_missing) ? 1 : 0;
}

} // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  auto const bad = [&](std::string_view why) {
    return fail(FailureKind::usage, fmt::format("\"{}\" is {}: {}", printable(text), why, size_rule));
  };
  std::uint64_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return bad("too large a size");
  if (error != std::errc{}) return bad("not a size");
  int const shift = shift_of(text.substr(static_cast<std::size_t>(end - text.data())));
  if (shift < 0) return bad("not a size");
  if (number > std::numeric_limits<std::uint64_t>::max() >> shift) return bad("too large a size");
  return number << shift;
}

Result<std::uint64_t> parse_whole(std::string_view what, std::string_view text, std::uint64_t low,
                                  std::uint64_t high) {
  std::uint64_t number = 0;
  char const* const last = text.data() + text.size();
  auto const [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last || number < low || number > high)
    return fail(FailureKind::usage, fmt::format("{} must be a whole number from {} to {}, not \"{}\"", what,
                                                low, high, printable(text)));
  return number;
}

Result<double> parse_number(std::string_view what, std::string_view text, double low, double high) {
  double number = 0;
  char const* const last = text.data() + text.size();
  auto const [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last || !std::isfinite(number) || number < low || number > high)
    return fail(FailureKind::usage, fmt::format("{} must be a number from {} to {}, not \"{}\"", what, low,
                                                high, printable(text)));
  return number;
}

Result<std::chrono::nanoseconds> parse_time(std::string_view what, std::string_view text) {
  double number = 0;
  char const* const last = text.data() + text.size();
  auto const [end, error] = std::from_chars(text.data(), last, number);
  double const unit = nanoseconds_in({end, static_cast<std::size_t>(last - end)}, number == 0);
  double const time = number * unit;
  if (error != std::errc{} || unit == 0 || !(time >= 0 && time <= longest_time))
    return fail(FailureKind::usage, fmt::format("{} must be a time, for example 2ms, 500us or 0, not \"{}\"",
                                                what, printable(text)));
  return std::chrono::nanoseconds(std::llround(time));
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::string_view suffixes = "KMGT";
  if (bytes < 1024) return fmt::format("{}", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t i = 0;
  for (; value >= 1024 && i + 1 < suffixes.size(); ++i)
    value /= 1024;
  // One decimal only where it says something: 64M, not 64.0M.
  bool const whole = value == std::floor(value) || value >= 100;
  return whole ? fmt::format("{:.0f}{}", value, suffixes[i]) : fmt::format("{:.1f}{}", value, suffixes[i]);
}

} // namespace pegasus::ctl
