// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line, in the words of all our programs.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>

namespace pegasus::cli {

struct UsageError {
  std::string what;      // "there is no option "--polcy"; did you mean --policy?"
  std::string valid{};   // what is valid, where that is short: whole lines
  std::string command{}; // in which the error is; empty: in none
};

// Of what CLI11 threw while it read the command line.
[[nodiscard]] UsageError usage_error(CLI::App const& app, CLI::ParseError const& error);

// `word`, an option or not, is none of those that `command` takes (or, of the whole program, `command` == `app`).
[[nodiscard]] UsageError unknown_word(CLI::App const& app, CLI::App const& command, std::string_view word);

// Prints it on standard error, with the program's name in front and how to learn more behind it. Returns the exit
// status of bad usage, 2.
[[nodiscard]] int report(CLI::App const& app, UsageError const& error);

} // namespace pegasus::cli
