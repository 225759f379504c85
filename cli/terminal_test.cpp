// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <catch2/catch.hpp>

using namespace pegasus::cli;

TEST_CASE("help is as wide as the terminal, else as COLUMNS says, else 80, and no wider than 100") {
  CHECK(help_columns(60, "90") == 60);
  CHECK(help_columns(std::nullopt, "60") == 60);
  CHECK(help_columns(std::nullopt, nullptr) == 80);
  CHECK(help_columns(200, nullptr) == 100);
  CHECK(help_columns(std::nullopt, "200") == 100);
}

TEST_CASE("a text of COLUMNS that is no width counts as none") {
  for (char const* const text : {"", "0", "-1", "wide", "60x", "99999999999999999999"})
    CHECK(help_columns(std::nullopt, text) == 80);
}
