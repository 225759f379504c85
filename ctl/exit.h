// SPDX-License-Identifier: Apache-2.0
// How the control tools end.
#pragma once

#include "ctl/failure.h"

#include <CLI/App.hpp>

namespace pegasus::ctl {

// Prints the failure on standard error and returns the exit status. Does not return after a signal: the
// process then ends by the same signal, as a shell expects.
[[nodiscard]] int report_failure(CLI::App const& app, Failure const& failure);

// Ends this process as `signal` would.
[[noreturn]] void end_by_signal(int signal);

} // namespace pegasus::ctl
