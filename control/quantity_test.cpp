// SPDX-License-Identifier: Apache-2.0
#include "control/quantity.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pegasus;

TEST_CASE("sizes") {
  CHECK(control::size("0") == 0);
  CHECK(control::size("4096") == 4096);
  CHECK(control::size("1K") == 1024);
  CHECK(control::size("64M") == std::uint64_t{64} << 20);
  CHECK(control::size("64MiB") == std::uint64_t{64} << 20);
  CHECK(control::size("1g") == std::uint64_t{1} << 30);
  CHECK(control::size("2T") == std::uint64_t{2} << 40);
  CHECK(control::size("12B") == 12);
  CHECK(control::size("18446744073709551615") == UINT64_MAX);
  CHECK(control::size("17179869183G") == UINT64_MAX - ((std::uint64_t{1} << 30) - 1));
}

TEST_CASE("a size without a suffix is of the caller's unit") {
  CHECK(control::size("64", 20) == 64 << 20);
  CHECK(control::size("64k", 20) == 64 << 10);
  CHECK(control::size("64B", 20) == 64);
  CHECK_FALSE(control::size("18446744073709551615", 1));
}

TEST_CASE("what is not a size is none") {
  for (char const* const text : {"", "M", "-1", "+1", " 1", "1 ", "1.5G", "1X", "1MM", "1KBB", "0x10", "1e3",
                                 "18446744073709551616", "17179869184G", "99999999999999999999999M"}) {
    INFO(text);
    CHECK_FALSE(control::size(text));
  }
}

TEST_CASE("numbers keep to their range") {
  CHECK(control::whole_number("65535", 1, 65535) == 65535);
  for (char const* const text : {"0", "65536", "-1", "1.0", "", "12x", " 1", "99999999999999999999"})
    CHECK_FALSE(control::whole_number(text, 1, 65535));
  CHECK(control::number("0.25", 0, 1) == 0.25);
  CHECK(control::number("1", 0, 1) == 1);
  for (char const* const text : {"-0.1", "1.01", "nan", "inf", "", "0,5", "half"})
    CHECK_FALSE(control::number(text, 0, 1));
}

TEST_CASE("times have a unit, but for 0") {
  using namespace std::chrono_literals;
  CHECK(control::time("2ms") == 2ms);
  CHECK(control::time("500us") == 500us);
  CHECK(control::time("1.5us") == 1500ns);
  CHECK(control::time("7ns") == 7ns);
  CHECK(control::time("1s") == 1s);
  CHECK(control::time("0") == 0ns);
  CHECK(control::time("0ms") == 0ns);
  for (char const* const text : {"", "ms", "2", "-1ms", " 2ms", "2 ms", "2m", "2h", "2mss", "nan", "nans",
                                 "infs", "1e999s", "1e10s", "0x1ms", "2,5ms"}) {
    INFO(text);
    CHECK_FALSE(control::time(text));
  }
}

TEST_CASE("a number is digits and nothing else") {
  auto const [text, most, number] = GENERATE(table<std::string, std::uint64_t, std::optional<std::uint64_t>>({
      {"0", 6, 0},
      {"6", 6, 6},
      {"7", 6, std::nullopt},
      {"007", 7, 7},
      {"4294967295", 0xffffffff, 0xffffffff},
      {"4294967296", 0xffffffff, std::nullopt},
      {"18446744073709551615", UINT64_MAX, UINT64_MAX},
      {"18446744073709551616", UINT64_MAX, std::nullopt},
      {"99999999999999999999", UINT64_MAX, std::nullopt},
      {"", 6, std::nullopt},
      {" 3", 6, std::nullopt},
      {"3 ", 6, std::nullopt},
      {"3\n", 6, std::nullopt},
      {std::string("3\0", 2), 6, std::nullopt},
      {std::string("\0", 1), 6, std::nullopt},
      {"-1", UINT64_MAX, std::nullopt},
      {"-0", 6, std::nullopt},
      {"+3", 6, std::nullopt},
      {"0x3", 6, std::nullopt},
      {"3.0", 6, std::nullopt},
      {"3e0", 6, std::nullopt},
      {"../../../0", 6, std::nullopt},
      {"\xd9\xa3", 6, std::nullopt}, // a digit in another script
  }));
  INFO('"' << text << '"');
  CHECK(control::whole_number(text, 0, most) == number);
}

TEST_CASE("what is counted is in the plural, unless it is one") {
  CHECK(control::counted(0, "task") == "0 tasks");
  CHECK(control::counted(1, "task") == "1 task");
  CHECK(control::counted(2, "task") == "2 tasks");
}

TEST_CASE("sizes and times are printed as they are read") {
  using namespace std::chrono_literals;
  CHECK(control::text_of_size(0) == "0");
  CHECK(control::text_of_size(1023) == "1023");
  CHECK(control::text_of_size(64 << 20) == "64M");
  CHECK(control::text_of_size(std::uint64_t{3} << 29) == "1536M");
  CHECK(control::text_of_size(std::uint64_t{5} << 50) == "5120T");
  for (std::uint64_t const bytes :
       {std::uint64_t{1}, std::uint64_t{4097}, std::uint64_t{6} << 30, UINT64_MAX})
    CHECK(control::size(control::text_of_size(bytes)) == bytes);
  CHECK(control::text_of_time(0ns) == "0");
  CHECK(control::text_of_time(10ms) == "10ms");
  CHECK(control::text_of_time(2500us) == "2.5ms");
  CHECK(control::text_of_time(600s) == "600s");
  for (std::chrono::nanoseconds const time : {1ns, 999'999ns, 1'000'000'001ns, std::chrono::nanoseconds(24h)})
    CHECK(control::time(control::text_of_time(time)) == time);
}
