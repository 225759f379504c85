// SPDX-License-Identifier: Apache-2.0
#include "ctl/text/size.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

TEST_CASE("sizes") {
  CHECK(parse_size("0").value() == 0);
  CHECK(parse_size("4096").value() == 4096);
  CHECK(parse_size("1K").value() == 1024);
  CHECK(parse_size("64M").value() == std::uint64_t{64} << 20);
  CHECK(parse_size("64MiB").value() == std::uint64_t{64} << 20);
  CHECK(parse_size("1g").value() == std::uint64_t{1} << 30);
  CHECK(parse_size("2T").value() == std::uint64_t{2} << 40);
  CHECK(parse_size("12B").value() == 12);
  CHECK(parse_size("18446744073709551615").value() == UINT64_MAX);
  CHECK(parse_size("17179869183G").value() == UINT64_MAX - ((std::uint64_t{1} << 30) - 1));
}

TEST_CASE("what is no size is refused with an example of one") {
  for (char const* const text : {"", "M", "-1", "+1", " 1", "1 ", "1.5G", "1X", "1MM", "1KBB", "0x10", "1e3",
                                 "18446744073709551616", "17179869184G", "99999999999999999999999M"}) {
    INFO(text);
    auto const size = parse_size(text);
    REQUIRE_FALSE(size);
    CHECK(size.error().exit_status() == 2);
    CHECK(size.error().message.find("64M") != std::string::npos);
  }
}

TEST_CASE("numbers keep to their range") {
  CHECK(parse_whole("credits", "65535", 1, 65535).value() == 65535);
  for (char const* const text : {"0", "65536", "-1", "1.0", "", "12x", "99999999999999999999"})
    CHECK_FALSE(parse_whole("credits", text, 1, 65535));
  CHECK(parse_number("slo", "0.25", 0, 1).value() == 0.25);
  CHECK(parse_number("slo", "1", 0, 1).value() == 1);
  for (char const* const text : {"-0.1", "1.01", "nan", "inf", "", "0,5", "half"})
    CHECK_FALSE(parse_number("slo", text, 0, 1));
  CHECK(parse_number("slo", "2", 0, 1).error().message == "slo must be a number from 0 to 1, not \"2\"");
}

TEST_CASE("sizes for people") {
  CHECK(format_size(0) == "0");
  CHECK(format_size(1023) == "1023");
  CHECK(format_size(64 << 20) == "64M");
  CHECK(format_size((std::uint64_t{3} << 30) / 2) == "1.5G");
  CHECK(format_size(UINT64_MAX) == "16777216T");
}
