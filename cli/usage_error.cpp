// SPDX-License-Identifier: Apache-2.0
#include "cli/usage_error.h"

#include "cli/help.h"
#include "cli/printable.h"
#include "cli/suggestion.h"
#include "cli/words.h"

#include <algorithm>
#include <array>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <utility>
#include <vector>

namespace pegasus::cli {
namespace {

constexpr int bad_usage = 2;
constexpr std::size_t short_list = 8; // names; more of them help nobody

// The command that was being read when the error occurred, or the whole program.
CLI::App const& command_read(CLI::App const& app) {
  auto const chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.back();
}

std::vector<std::string> names_of_commands(CLI::App const& app) {
  std::vector<std::string> names;
  for (CLI::App const* const command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

std::vector<CLI::Option const*> options_of(CLI::App const& app, CLI::App const& command) {
  std::vector<CLI::Option const*> options = command.get_options({});
  if (&app != &command && app.get_fallthrough())
    for (CLI::Option const* const option : app.get_options({}))
      if (!option->get_lnames().empty() && option->get_lnames().front() != "help") options.push_back(option);
  return options;
}

std::vector<std::string> names_of(std::vector<CLI::Option const*> const& options) {
  std::vector<std::string> names;
  for (CLI::Option const* const option : options)
    if (!option->get_positional()) names.push_back(name_of(*option));
  return names;
}

std::string command_name(CLI::App const& app, CLI::App const& command) {
  return &app == &command ? "" : command.get_name();
}

std::string full_name(CLI::App const& app, CLI::App const& command) {
  return &app == &command ? app.get_name() : app.get_name() + " " + command.get_name();
}

// The option meant by a name that ends with a unit, or is one, as other programs have them: here the unit belongs to
// the value.
CLI::Option const* time_meant(std::vector<CLI::Option const*> const& options, std::string_view word) {
  constexpr std::array<std::string_view, 5> units{"ms", "us", "ns", "s", "seconds"};
  for (std::string_view const unit : units) {
    if (!word.ends_with(unit)) continue;
    std::string_view const stem = word.substr(0, word.size() - unit.size());
    if (!stem.ends_with('-')) continue;
    auto const meant = std::ranges::find_if(options, [stem](CLI::Option const* option) {
      return option->get_option_text() == "TIME" &&
             (stem == "--" || name_of(*option) == stem.substr(0, stem.size() - 1));
    });
    if (meant != options.end()) return *meant;
  }
  return nullptr;
}

std::string example_of(CLI::Option const& option) {
  std::string const usual = option.get_default_str();
  return "For example: " + name_of(option) + " " + (usual.empty() || usual == "0" ? "2ms" : usual) + "\n";
}

UsageError unknown_option(CLI::App const& app, CLI::App const& command, std::string_view word) {
  std::string_view const name = word.substr(0, word.find('='));
  auto const options = options_of(app, command);
  auto const names = names_of(options);
  UsageError error{.what = "there is no option \"" + std::string(name) + "\""};
  error.command = command_name(app, command);
  if (CLI::Option const* const time = time_meant(options, name)) {
    error.what += "; did you mean " + name_of(*time) + "?";
    error.valid = example_of(*time);
  } else {
    error.what += did_you_mean(name, names);
    if (names.size() <= short_list) error.valid = "The options are: " + joined(names) + ".\n";
  }
  return error;
}

CLI::Option const* option_named(CLI::App const& app, CLI::App const& command, std::string_view name) {
  auto const options = options_of(app, command);
  auto const found =
      std::ranges::find_if(options, [name](auto const* option) { return name_of(*option) == name; });
  return found == options.end() ? nullptr : *found;
}

// CLI11 begins these messages with the option's name and a colon.
std::string wrong_count(CLI::App const& app, CLI::App const& command, std::string const& text) {
  std::string const name = text.substr(0, text.find(':'));
  CLI::Option const* const option = option_named(app, command, name);
  if (option == nullptr) return text;
  if (option->count() > 1) return name + ": it is given more than once";
  if (option->get_items_expected_max() == 0) return name + ": it takes no value";
  return name + ": its value is missing: " + name + " " + option->get_option_text();
}

// A flag can be given a value, which only a configuration file does.
std::string wrong_flag(CLI::App const& app, CLI::App const& command, std::string const& text) {
  for (CLI::Option const* const option : options_of(app, command))
    if (option->get_items_expected_max() == 0 && text.find(name_of(*option)) != std::string::npos)
      return name_of(*option) + ": it takes no value but true or false";
  return text;
}

} // namespace

UsageError unknown_word(CLI::App const& app, CLI::App const& command, std::string_view word) {
  if (word.starts_with('-') && word.size() > 1) return unknown_option(app, command, word);
  auto const commands = names_of_commands(command);
  if (commands.empty())
    return {.what = "\"" + std::string(word) + "\" is one argument too many",
            .valid = usage_of(command, full_name(app, command)) + "\n",
            .command = command_name(app, command)};
  return {.what = "there is no command \"" + std::string(word) + "\"" + did_you_mean(word, commands),
          .valid = "The commands are: " + joined(commands) + ".\n"};
}

UsageError usage_error(CLI::App const& app, CLI::ParseError const& error) {
  CLI::App const& command = command_read(app);
  UsageError said{.what = error.what(), .command = command_name(app, command)};
  auto const unknown = app.remaining(true);
  bool const needed = dynamic_cast<CLI::RequiredError const*>(&error) != nullptr;
  bool const no_command = needed && &command == &app && !names_of_commands(app).empty();
  if (!unknown.empty() && (no_command || dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr || needed))
    return unknown_word(app, command, unknown.front());
  if (no_command)
    return {.what = "which command?", .valid = "The commands are: " + joined(names_of_commands(app)) + ".\n"};
  if (needed) {
    said.what = said.what.substr(0, said.what.find(' ')) + " is missing";
    said.valid = usage_of(command, full_name(app, command)) + "\n";
  } else if (dynamic_cast<CLI::ArgumentMismatch const*>(&error) != nullptr) {
    said.what = wrong_count(app, command, said.what);
  } else if (dynamic_cast<CLI::ConversionError const*>(&error) != nullptr) {
    said.what = wrong_flag(app, command, said.what);
  }
  return said;
}

int report(CLI::App const& app, UsageError const& error) {
  std::string const name = app.get_name();
  std::fflush(stdout);
  std::string const text = name + ": " + printable(error.what) + "\n" + error.valid + "`" + name +
                           (error.command.empty() ? "" : " " + error.command) + " --help` says more.\n";
  std::fputs(text.c_str(), stderr);
  return bad_usage;
}

} // namespace pegasus::cli
