// SPDX-License-Identifier: Apache-2.0
// How wide standard output is.
#pragma once

#include <cstddef>
#include <optional>

namespace pegasus::cli {

// Of the terminal that standard output is; nullopt: it is none.
[[nodiscard]] std::optional<std::size_t> terminal_columns();

// Of help: as wide as the terminal, else as $COLUMNS says, but no wider than is easy to read.
[[nodiscard]] std::size_t help_columns();
// As help_columns(), of a terminal (nullopt: there is none) and a text of $COLUMNS (nullptr: it is not set).
[[nodiscard]] std::size_t help_columns(std::optional<std::size_t> terminal, char const* columns);

} // namespace pegasus::cli
