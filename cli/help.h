// SPDX-License-Identifier: Apache-2.0
// --help as our programs print it: wrapped at the width of the terminal; of an option its names, a word for its value,
// what it does and its default, and nothing of the types that CLI11 has for it.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace pegasus::cli {

class HelpFormatter final : public CLI::FormatterBase {
public:
  [[nodiscard]] std::string make_help(CLI::App const* app, std::string name,
                                      CLI::AppFormatMode mode) const override;
};

// "Usage: pegasusctl set [OPTION...] DOMAIN [SETTING...]"; `name` is that of the program and the command.
[[nodiscard]] std::string usage_of(CLI::App const& app, std::string const& name);

// "--tick"; of a positional argument the word that stands for it.
[[nodiscard]] std::string name_of(CLI::Option const& option);

} // namespace pegasus::cli
