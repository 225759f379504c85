// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include "cli/printable.h"
#include "cli/terminal.h"
#include "cli/wrap.h"

#include <algorithm>
#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

namespace pegasus::cli {
namespace {

constexpr std::size_t margin = 2;

bool is_list(CLI::Option const& option) {
  return option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
}

// "-n, --entries N"
std::string heading_of(CLI::Option const& option) {
  if (option.get_positional()) return name_of(option) + (is_list(option) ? "..." : "");
  std::string names;
  for (std::string const& name : option.get_snames())
    names += (names.empty() ? "-" : ", -") + name;
  for (std::string const& name : option.get_lnames())
    names += (names.empty() ? "--" : ", --") + name;
  return option.get_option_text().empty() ? names : names + " " + option.get_option_text();
}

std::string text_of(CLI::Option const& option) {
  std::string const usual = option.get_default_str();
  return option.get_description() + (usual.empty() ? "" : " (default: " + usual + ")");
}

using Rows = std::vector<std::pair<std::string, std::string>>;

// What a row is about at the left, what is said of it in a second column, where there is room.
std::string section(std::string const& title, Rows const& rows, std::size_t width) {
  if (rows.empty()) return "";
  std::size_t column = 0;
  std::size_t const most = width / 3;
  for (auto const& [left, right] : rows)
    if (display_width(left) <= most) column = std::max(column, display_width(left));
  column += 2 * margin;
  std::string out = "\n" + title + ":\n";
  for (auto const& [left, right] : rows) {
    std::string const lines = wrapped(right, column, width);
    std::size_t const used = margin + display_width(left);
    bool const fits = used + margin <= column;
    out += std::string(margin, ' ') + left;
    out += lines.empty() ? "\n"
           : fits        ? std::string(column - used, ' ') + lines
                         : "\n" + std::string(column, ' ') + lines;
  }
  return out;
}

Rows options_of(CLI::App const& app, bool positional) {
  Rows rows;
  for (CLI::Option const* const option : app.get_options({}))
    if (!option->get_group().empty() && option->get_positional() == positional)
      rows.emplace_back(heading_of(*option), text_of(*option));
  return rows;
}

Rows commands_of(CLI::App const& app) {
  Rows rows;
  for (CLI::App const* const command : app.get_subcommands({}))
    rows.emplace_back(command->get_name(), command->get_description());
  return rows;
}

} // namespace

std::string name_of(CLI::Option const& option) {
  if (option.get_positional() && !option.get_option_text().empty()) return option.get_option_text();
  return option.get_name(option.get_positional());
}

std::string usage_of(CLI::App const& app, std::string const& name) {
  std::string usage = "Usage: " + name + " [OPTION...]";
  for (CLI::Option const* const option : app.get_options({})) {
    if (!option->get_positional()) continue;
    std::string const heading = heading_of(*option);
    usage += option->get_required() ? " " + heading : " [" + heading + "]";
  }
  if (!app.get_subcommands({}).empty()) usage += " COMMAND";
  if (app.get_prefix_command()) usage += " -- PROGRAM [ARGUMENT...]";
  return usage;
}

std::string HelpFormatter::make_help(CLI::App const* app, std::string name, CLI::AppFormatMode) const {
  std::size_t const width = help_columns();
  constexpr std::size_t usage_indent = 7; // of "Usage: "
  std::string out = wrapped(usage_of(*app, name), usage_indent, width);
  out += wrapped(app->get_description(), 0, width);
  out += section("Commands", commands_of(*app), width);
  out += section("Arguments", options_of(*app, true), width);
  out += section("Options", options_of(*app, false), width);
  if (std::string const footer = app->get_footer(); !footer.empty()) out += "\n" + wrapped(footer, 0, width);
  return out;
}

} // namespace pegasus::cli
