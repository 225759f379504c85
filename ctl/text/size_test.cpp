// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/size.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

TEST_CASE("sizes are printed with a unit") {
  CHECK(format_size(0) == "0");
  CHECK(format_size(1023) == "1023");
  CHECK(format_size(64 << 20) == "64M");
  CHECK(format_size((std::uint64_t{3} << 30) / 2) == "1.5G");
  CHECK(format_size(UINT64_MAX) == "16777216T");
}
