// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/toml.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

TEST_CASE("texts are quoted as TOML wants them") {
  CHECK(toml_text("dom1") == R"("dom1")");
  CHECK(toml_text("a \"b\"\\c") == R"("a \"b\"\\c")");
  CHECK(toml_text("line\nend\x1b[2J\x7f") == R"("line\nend\u001b[2J\u007f")");
  CHECK(toml_text("\xff") == "\"\xef\xbf\xbd\"");
}

TEST_CASE("times keep each nanosecond") {
  CHECK(time_text(0) == "0s");
  CHECK(time_text(999) == "999ns");
  CHECK(time_text(1'000) == "1us");
  CHECK(time_text(2'500'000) == "2.5ms");
  CHECK(time_text(100'000'000) == "100ms");
  CHECK(time_text(10'000'000'001) == "10.000000001s");
}
