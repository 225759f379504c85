// SPDX-License-Identifier: Apache-2.0
// Options with a value. Each reads a text as a person writes it, shows its default in the same spelling, and says what
// is valid where it refuses one. `usage` is what --help shows: the option's names and a word for its value, as in
// "-n,--entries COUNT". The variable must live until the command line has been read; what it holds is the default.
#pragma once

#include "control/quantity.h"

#include <chrono>
#include <CLI/App.hpp>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::cli {

using std::chrono::nanoseconds;

// An option whose value `read` takes; it returns what is wrong with the text, or nothing.
CLI::Option* add_read(CLI::App& app, std::string_view usage, std::string description,
                      std::function<std::string(std::string const&)> read);

// A text, of which no default is shown if it is empty.
CLI::Option* add_text(CLI::App& app, std::string_view usage, std::string& value, std::string description);
CLI::Option* add_text(CLI::App& app, std::string_view usage, std::optional<std::string>& value,
                      std::string description);
// Texts, one each time the option is given; of a positional argument, all.
CLI::Option* add_texts(CLI::App& app, std::string_view usage, std::vector<std::string>& values,
                       std::string description);
// One of `choices`, of which --help shows all: the usage is the option's names alone.
CLI::Option* add_choice(CLI::App& app, std::string_view usage, std::string& value,
                        std::vector<std::string> choices, std::string description);

// What is wrong with the text of a value that must be in [least, most]: "5" is not a time from 1ms to 1s, such as 10ms.
[[nodiscard]] std::string not_a_time(std::string_view text, nanoseconds least, nanoseconds most,
                                     nanoseconds usual);
[[nodiscard]] std::string not_a_size(std::string_view text, std::uint64_t least, std::uint64_t most);
[[nodiscard]] std::string not_a_number(std::string_view text, std::string_view kind, std::string_view least,
                                       std::string_view most);
// "; 1ms to 1s", to go behind a description.
[[nodiscard]] std::string range_of_times(nanoseconds least, nanoseconds most);
[[nodiscard]] std::string range_of_sizes(std::uint64_t least, std::uint64_t most);

template <class Duration>
CLI::Option* add_time(CLI::App& app, std::string const& name, Duration& value, std::string const& description,
                      nanoseconds least, nanoseconds most) {
  nanoseconds const usual = value;
  auto const read = [&value, least, most, usual](std::string const& text) {
    auto const time = control::time(text);
    if (!time || *time < least || *time > most) return not_a_time(text, least, most, usual);
    value = std::chrono::round<Duration>(*time);
    return std::string();
  };
  return add_read(app, name + " TIME", description + range_of_times(least, most), read)
      ->default_str(control::text_of_time(usual));
}

// An std::optional that is empty has no default to show: the description says what it is.
template <class Size>
CLI::Option* add_size(CLI::App& app, std::string const& name, Size& value, std::string const& description,
                      std::uint64_t least, std::uint64_t most) {
  auto const read = [&value, least, most](std::string const& text) {
    auto const size = control::size(text);
    if (!size || *size < least || *size > most) return not_a_size(text, least, most);
    value = *size;
    return std::string();
  };
  CLI::Option* const option = add_read(app, name + " SIZE", description + range_of_sizes(least, most), read);
  std::optional<std::uint64_t> const usual = value;
  return usual ? option->default_str(control::text_of_size(*usual)) : option;
}

// A wider range is that of the type, or of what the system has: of no help to choose a number.
inline constexpr std::uint64_t most_range = 1 << 20;

template <std::integral Number>
CLI::Option* add_number(CLI::App& app, std::string_view usage, Number& value, std::string const& description,
                        std::uint64_t least, std::uint64_t most) {
  std::string const from = std::to_string(least), to = std::to_string(most);
  auto const read = [&value, least, most, from, to](std::string const& text) {
    auto const number = control::whole_number(text, least, most);
    if (!number) return not_a_number(text, "a whole number", from, to);
    value = static_cast<Number>(*number);
    return std::string();
  };
  bool const worth_saying = most <= most_range;
  return add_read(app, usage, worth_saying ? description + "; " + from + " to " + to : description, read)
      ->default_str(std::to_string(value));
}

} // namespace pegasus::cli
