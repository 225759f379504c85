// SPDX-License-Identifier: Apache-2.0
#include "sim/report/text_table.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;

TEST_CASE("columns are as wide as their widest cell, in characters") {
  TextTable table;
  table.add({"name", "n"});
  table.add({"\xc3\xa4\xc3\xb6", "100"});
  table.add({"a longer one", ""});
  CHECK(table.text("  ") == "  name            n\n"
                            "  \xc3\xa4\xc3\xb6            100\n"
                            "  a longer one\n");
}
