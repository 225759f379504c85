// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/table.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

TEST_CASE("columns are as wide as their widest cell, and lines have no trailing blanks") {
  Table table({{"NAME", Align::left}, {"N"}, {"STATE", Align::left}});
  table.add_row({"a", "1", "ok"});
  table.add_row({"longer", "1000", ""});
  CHECK(table.text() == "NAME       N  STATE\n"
                        "a          1  ok\n"
                        "longer  1000\n");
}

TEST_CASE("rows that are too long or too short do no harm") {
  Table table({{"A", Align::left}, {"B"}});
  table.add_row({});
  table.add_row({"x", "y", "z"});
  CHECK(table.text() == "A  B\n\nx  y\n");
}

TEST_CASE("a cell cannot command the terminal") {
  Table table({{"A", Align::left}});
  table.add_row({"\x1b]0;title\x07\nroot"});
  CHECK(table.text() == "A\n?]0;title??root\n");
}
