// SPDX-License-Identifier: Apache-2.0
#include "policies/tunables.h"

#include <array>
#include <charconv>
#include <cmath>

namespace pegasus::policies {

namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array units{Unit{"s", 1e9}, Unit{"ms", 1e6}, Unit{"us", 1e3}, Unit{"ns", 1}};

std::string as_text(double number) {
  std::array<char, 32> text{};
  auto const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

// In the largest unit in which the value is at least 1.
std::string as_time(double nanoseconds) {
  for (auto const& [name, length] : units)
    if (nanoseconds >= length) return as_text(nanoseconds / length) + std::string(name);
  return "0s";
}

} // namespace

std::string Tunable::value(Tunables const& of) const {
  if (auto const* const time = std::get_if<Nanos Tunables::*>(&field)) {
    if (!automatic.empty() && of.*(*time) == automatic_hold) return std::string(automatic);
    return as_time(static_cast<double>((of.*(*time)).count()));
  }
  return as_text(of.*std::get<double Tunables::*>(field));
}

std::string Tunable::range() const {
  bool const is_time = std::holds_alternative<Nanos Tunables::*>(field);
  return is_time ? as_time(least) + " to " + as_time(most) : as_text(least) + " to " + as_text(most);
}

bool Tunable::set(Tunables& of, std::string_view value) const {
  auto const* const time = std::get_if<Nanos Tunables::*>(&field);
  if (time != nullptr && !automatic.empty() && value == automatic) {
    of.*(*time) = automatic_hold;
    return true;
  }
  double number = 0;
  auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc()) return false;
  std::string_view const suffix(end, static_cast<std::size_t>(value.data() + value.size() - end));
  double length = suffix.empty() && (time == nullptr || number == 0) ? 1 : 0;
  if (time != nullptr)
    for (Unit const& unit : units)
      if (suffix == unit.name) length = unit.nanoseconds;
  double const wanted = number * length;
  if (length == 0 || !std::isfinite(wanted) || wanted < least || wanted > most) return false;
  if (time != nullptr)
    of.*(*time) = Nanos(std::llround(wanted));
  else
    of.*std::get<double Tunables::*>(field) = wanted;
  return true;
}

} // namespace pegasus::policies
