// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include "control/quantity.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace pegasus::cli {
namespace {

constexpr std::size_t usual_columns = 80;
constexpr std::size_t most_help_columns = 100;
constexpr std::size_t widest = 10'000; // what says more is no terminal

} // namespace

std::optional<std::size_t> terminal_columns() {
  if (isatty(STDOUT_FILENO) == 0) return std::nullopt;
  winsize size{};
  bool const known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : usual_columns;
}

std::size_t help_columns() { return help_columns(terminal_columns(), std::getenv("COLUMNS")); }

std::size_t help_columns(std::optional<std::size_t> terminal, char const* columns) {
  auto const said = columns == nullptr ? std::nullopt : control::whole_number(columns, 1, widest);
  return std::min(most_help_columns, terminal.value_or(said.value_or(usual_columns)));
}

} // namespace pegasus::cli
