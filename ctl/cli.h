// SPDX-License-Identifier: Apache-2.0
// How both tools read their command line and end: usage errors say what is valid and exit with 2.
#pragma once

#include "ctl/failure.h"

#include <CLI/App.hpp>
#include <optional>

namespace pegasus::ctl {

// Parses the command line. Returns an exit status if the tool is done already: 0 after --help or --version,
// 2 after a usage error.
[[nodiscard]] std::optional<int> parse_command_line(CLI::App& app, int argc, char const* const* argv);

// Prints the failure on standard error and returns the exit status. Does not return after a signal: the
// process then ends by the same signal, as a shell expects.
[[nodiscard]] int report_failure(CLI::App const& app, Failure const& failure);

// Ends this process as `signal` would.
[[noreturn]] void end_by_signal(int signal);

} // namespace pegasus::ctl
