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

TEST_CASE("times have a unit, but for 0") {
  using namespace std::chrono_literals;
  CHECK(parse_time("latency", "2ms").value() == 2ms);
  CHECK(parse_time("latency", "500us").value() == 500us);
  CHECK(parse_time("latency", "1.5us").value() == 1500ns);
  CHECK(parse_time("latency", "7ns").value() == 7ns);
  CHECK(parse_time("latency", "1s").value() == 1s);
  CHECK(parse_time("latency", "0").value() == 0ns);
  CHECK(parse_time("latency", "0ms").value() == 0ns);
  for (char const* const text : {"", "ms", "2", "-1ms", " 2ms", "2 ms", "2m", "2h", "2mss", "nan", "nans",
                                 "infs", "1e999s", "1e10s", "0x1ms", "2,5ms"}) {
    INFO(text);
    CHECK_FALSE(parse_time("latency", text));
  }
  CHECK(parse_time("latency", "2").error().message ==
        "latency must be a time, for example 2ms, 500us or 0, not \"2\"");
}

TEST_CASE("sizes for people") {
  CHECK(format_size(0) == "0");
  CHECK(format_size(1023) == "1023");
  CHECK(format_size(64 << 20) == "64M");
  CHECK(format_size((std::uint64_t{3} << 30) / 2) == "1.5G");
  CHECK(format_size(UINT64_MAX) == "16777216T");
}
