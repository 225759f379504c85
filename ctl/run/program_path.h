// SPDX-License-Identifier: Apache-2.0
// Finds the file for a program's name, as a shell would.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::ctl {

inline constexpr int status_not_executable = 126; // POSIX, Shell Command Language 2.8.2
inline constexpr int status_not_found = 127;

struct ProgramProblem {
  int exit_status; // one of the two above
  std::string message;
};

// A name without a slash is looked up in `path` (the value of $PATH).
[[nodiscard]] tl::expected<std::string, ProgramProblem> find_program(std::string const& name,
                                                                     std::string_view path);

} // namespace pegasus::ctl
