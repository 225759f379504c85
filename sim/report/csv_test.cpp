// SPDX-License-Identifier: Apache-2.0
#include "sim/report/csv.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

using namespace pegasus::sim;

TEST_CASE("texts are quoted, numbers are not, and each line ends with CR LF") {
  Csv csv({"name", "a \"b\", c"});
  csv.add("x\ny").add(std::uint64_t{18446744073709551615U}).end_row();
  CHECK(csv.text() == "\"name\",\"a \"\"b\"\", c\"\r\n\"x\ny\",18446744073709551615\r\n");
}

TEST_CASE("a number is read again as the same, and one that is not there is empty") {
  Csv csv({"n"});
  csv.add(0.1).add(1.0 / 3).add(std::numeric_limits<double>::infinity()).add(std::optional<double>()).add(2U);
  csv.end_row();
  CHECK(csv.text() == "\"n\"\r\n0.1,0.3333333333333333,,,2\r\n");
}
