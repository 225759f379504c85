// SPDX-License-Identifier: Apache-2.0
#include "cli/printable.h"

#include <catch2/catch.hpp>

using namespace pegasus::cli;

TEST_CASE("letters outside ASCII stay and count once; control characters in their guise do not") {
  CHECK(printable("gr\xc3\xb6\xc3\x9f\x65") == "gr\xc3\xb6\xc3\x9f\x65");
  CHECK(display_width("gr\xc3\xb6\xc3\x9f\x65") == 5);
  CHECK(printable("\xc4\x80") == "\xc4\x80");
  CHECK(printable("\xc2\x9b[2J") == "?[2J"); // U+009B, the one-character CSI
  CHECK(printable("\x9b[2J") == "?[2J");
  CHECK(printable(std::string_view("\0\t\x7f", 3)) == "???");
}
