// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include "cli/suggestion.h"
#include "cli/words.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <utility>

namespace pegasus::cli {
namespace {

// An example that turns nothing off.
constexpr nanoseconds example_time = std::chrono::milliseconds(2);
constexpr std::uint64_t example_size = std::uint64_t{512} << 20;

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

// "-n,--entries COUNT" -> "-n,--entries", "COUNT".
std::pair<std::string, std::string> names_and_value(std::string_view usage) {
  auto const blank = usage.find(' ');
  if (blank == std::string_view::npos) return {std::string(usage), ""};
  return {std::string(usage.substr(0, blank)), std::string(usage.substr(blank + 1))};
}

CLI::Option* add_values(CLI::App& app, std::string_view usage, std::string description,
                        std::function<void(std::vector<std::string> const&)> take) {
  auto const [names, value] = names_and_value(usage);
  return app.add_option_function<std::vector<std::string>>(names, std::move(take), std::move(description))
      ->option_text(value);
}

} // namespace

CLI::Option* add_read(CLI::App& app, std::string_view usage, std::string description,
                      std::function<std::string(std::string const&)> read) {
  auto const [names, value] = names_and_value(usage);
  auto take = [name = names.substr(names.rfind(',') + 1), read = std::move(read)](std::string const& text) {
    if (std::string const wrong = read(text); !wrong.empty()) throw CLI::ValidationError(name, wrong);
  };
  return app.add_option_function<std::string>(names, std::move(take), std::move(description))
      ->option_text(value);
}

CLI::Option* add_text(CLI::App& app, std::string_view usage, std::string& value, std::string description) {
  auto const [names, word] = names_and_value(usage);
  return app
      .add_option_function<std::string>(
          names, [&value](std::string const& text) { value = text; }, std::move(description))
      ->option_text(word)
      ->default_str(value);
}

CLI::Option* add_text(CLI::App& app, std::string_view usage, std::optional<std::string>& value,
                      std::string description) {
  auto const [names, word] = names_and_value(usage);
  return app
      .add_option_function<std::string>(
          names, [&value](std::string const& text) { value = text; }, std::move(description))
      ->option_text(word);
}

CLI::Option* add_texts(CLI::App& app, std::string_view usage, std::vector<std::string>& values,
                       std::string description) {
  CLI::Option* const option =
      add_values(app, usage, std::move(description),
                 [&values](std::vector<std::string> const& texts) { values = texts; });
  return option->get_positional() ? option : option->allow_extra_args(false);
}

CLI::Option* add_choice(CLI::App& app, std::string_view usage, std::string& value,
                        std::vector<std::string> choices, std::string description) {
  std::string const shown = std::string(usage) + " " + joined(choices, "|");
  auto read = [&value, choices = std::move(choices)](std::string const& text) {
    if (std::ranges::find(choices, text) == choices.end())
      return in_quotes(text) + " is none of " + joined(choices, ", ") + did_you_mean(text, choices);
    value = text;
    return std::string();
  };
  return add_read(app, shown, std::move(description), std::move(read))->default_str(value);
}

std::string not_a_time(std::string_view text, nanoseconds least, nanoseconds most, nanoseconds usual) {
  nanoseconds const example = usual.count() > 0 ? usual : std::clamp(example_time, least, most);
  return in_quotes(text) + " is not a time " +
         (least.count() > 0 ? "from " + control::text_of_time(least) + " to " : "up to ") +
         control::text_of_time(most) + ", such as " + control::text_of_time(example);
}

std::string not_a_size(std::string_view text, std::uint64_t least, std::uint64_t most) {
  return in_quotes(text) + " is not a size from " + control::text_of_size(least) + " to " +
         control::text_of_size(most) + ", such as " +
         control::text_of_size(std::clamp(example_size, least, most));
}

std::string not_a_number(std::string_view text, std::string_view kind, std::string_view least,
                         std::string_view most) {
  return in_quotes(text) + " is not " + std::string(kind) + " from " + std::string(least) + " to " +
         std::string(most);
}

std::string range_of_times(nanoseconds least, nanoseconds most) {
  return least.count() > 0 ? "; " + control::text_of_time(least) + " to " + control::text_of_time(most)
                           : "; at most " + control::text_of_time(most);
}

std::string range_of_sizes(std::uint64_t least, std::uint64_t most) {
  return "; " + control::text_of_size(least) + " to " + control::text_of_size(most);
}

} // namespace pegasus::cli
