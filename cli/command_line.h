// SPDX-License-Identifier: Apache-2.0
// How our programs read their command lines.
#pragma once

#include "cli/usage_error.h"

#include <CLI/App.hpp>
#include <optional>
#include <string>

namespace pegasus::cli {

// To be called before the program, whose name the app has, gets options and commands: its --help and --version.
void prepare(CLI::App& app);

// Reads the command line. Returns an exit status if the program is done already: 0 after --help or --version, 1 if they
// cannot be printed, 2 after a usage error, which is reported.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char const* const* argv);

// Prints what --help or --version asked for. Returns the exit status.
[[nodiscard]] int answer(CLI::App const& app, CLI::Success const& asked);

} // namespace pegasus::cli
