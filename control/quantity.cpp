// SPDX-License-Identifier: Apache-2.0
#include "control/quantity.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace pegasus::control {
namespace {

constexpr double max_time = 1e18; // nanoseconds; the whole number must not overflow

constexpr std::string_view letters = "KMGT"; // each 1024 times the one before

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array units{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"us", 1e3}, Unit{"ns", 1}};

// Takes the number at the beginning off `text`.
template <class Number> std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<unsigned> shift_of(std::string_view suffix, unsigned plain_shift) {
  if (suffix.empty()) return plain_shift;
  if (suffix == "B") return 0;
  auto const at = letters.find(static_cast<char>(suffix.front() & ~0x20));
  suffix.remove_prefix(1);
  if (at == std::string_view::npos || !(suffix.empty() || suffix == "B" || suffix == "iB"))
    return std::nullopt;
  return static_cast<unsigned>(10 * (at + 1));
}

// In nanoseconds; 0 if it is not a unit.
double length_of(std::string_view unit) {
  for (auto const& [name, nanoseconds] : units)
    if (unit == name) return nanoseconds;
  return 0;
}

} // namespace

std::optional<std::uint64_t> whole_number(std::string_view text, std::uint64_t least, std::uint64_t most) {
  auto const value = take_number<std::uint64_t>(text);
  if (!value || !text.empty() || *value < least || *value > most) return std::nullopt;
  return value;
}

std::optional<double> number(std::string_view text, double least, double most) {
  auto const value = take_number<double>(text);
  if (!value || !text.empty() || !(*value >= least && *value <= most)) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> size(std::string_view text, unsigned plain_shift) {
  auto const value = take_number<std::uint64_t>(text);
  auto const shift = shift_of(text, plain_shift);
  if (!value || !shift || *value > std::numeric_limits<std::uint64_t>::max() >> *shift) return std::nullopt;
  return *value << *shift;
}

std::optional<std::chrono::nanoseconds> time(std::string_view text) {
  auto const value = take_number<double>(text);
  if (value == 0 && text.empty()) return std::chrono::nanoseconds{0};
  double const unit = length_of(text);
  double const nanoseconds = value.value_or(-1) * unit;
  if (unit == 0 || !(nanoseconds >= 0 && nanoseconds <= max_time)) return std::nullopt;
  return std::chrono::nanoseconds(std::llround(nanoseconds));
}

std::string text_of_size(std::uint64_t bytes) {
  std::string suffix;
  for (char const letter : letters) {
    if (bytes == 0 || bytes % 1024 != 0) break;
    bytes /= 1024;
    suffix = letter;
  }
  return std::to_string(bytes) + suffix;
}

std::string text_of_time(std::chrono::nanoseconds time) {
  auto const count = static_cast<double>(time.count());
  for (auto const& [name, nanoseconds] : units) {
    if (count < nanoseconds) continue;
    std::array<char, 32> digits{};
    char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), count / nanoseconds).ptr;
    return std::string(digits.data(), end).append(name);
  }
  return "0";
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

} // namespace pegasus::control
