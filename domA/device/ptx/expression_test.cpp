// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/reader.h"

#include <catch2/catch.hpp>
#include <string>

namespace pegasus::ptx {
namespace {

std::optional<Constant> evaluate(std::string const& text) {
  Reader in(text);
  Constant value;
  if (!in.constant(value) || !in.is(Token::Kind::end) || in.failed()) return std::nullopt;
  return value;
}

TEST_CASE("integers, as C computes them") {
  struct Row {
    char const* text;
    std::uint64_t expected;
  };
  auto const row = GENERATE(values<Row>({
      {"0", 0},
      {"017", 15},
      {"0b101", 5},
      {"0xFFFFFFFFFFFFFFFF", ~0ull},
      {"18446744073709551615", ~0ull},
      {"4U", 4},
      {"-4", static_cast<std::uint64_t>(-4)},
      {"- -4", 4},
      {"+4", 4},
      {"~0", ~0ull},
      {"!0", 1},
      {"!5", 0},
      {"1+2*3", 7},
      {"(1+2)*3", 9},
      {"10-3-2", 5},
      {"7/2", 3},
      {"7%3", 1},
      {"-7/2", static_cast<std::uint64_t>(-3)},
      {"1<<4|3", 19},
      {"1<<64", 0},
      {"-1>>70", ~0ull},
      {"0xFFFFFFFFFFFFFFFF>>63", 1},
      {"6&3^1", 3},
      {"2<3&&3<=3&&4>3&&4>=4&&1!=2&&1==1", 1},
      {"0||0", 0},
      {"-1<0", 1},
      {"-1<0U", 0},
      {"1?2:3", 2},
      {"0?2:0?3:4", 4},
      {"(.u64)-1>5", 1},
      {"(.s64)5", 5},
      {"WARP_SZ-1", 31},
      {"1.5>1", 1},
      {"(-9223372036854775807-1)/-1", 1ull << 63},
      {"(-9223372036854775807-1)%-1", 0},
  }));
  INFO(row.text);
  auto const value = evaluate(row.text);
  REQUIRE(value.has_value());
  CHECK_FALSE(value->real());
  CHECK(value->bits == row.expected);
}

TEST_CASE("floating point") {
  struct Row {
    char const* text;
    double expected;
  };
  auto const row = GENERATE(values<Row>({
      {"1.5", 1.5},
      {"-1.5", -1.5},
      {".5", 0.5},
      {"1.", 1},
      {"1e3", 1000},
      {"1.5+2*2", 5.5},
      {"1.0/4", 0.25},
      {"0d3FF0000000000000", 1},
      {"0f3f800000", 1},
      {"-0F3F800000", -1},
      {"1e-400", 0},
  }));
  INFO(row.text);
  auto const value = evaluate(row.text);
  REQUIRE(value.has_value());
  CHECK(value->real());
  CHECK(value->value() == row.expected);
  CHECK(evaluate("0f3f800000")->single);
  CHECK(evaluate("0f3f800000")->bits == 0x3f800000);
}

TEST_CASE("not a constant expression") {
  auto const* const text = GENERATE("", "x", "1+", "(1", "1/0", "1%0", "1.0/0", "1.5%2", "~1.5", "1.5<<1",
                                    "0f3f8", "0x", "08", "0b2", "1.2.3", "12abc", "18446744073709551616",
                                    "(.s64)1.5", "1?2", "1?2:", "0d0", "1 2", "(.f32)1");
  INFO(text);
  CHECK_FALSE(evaluate(text).has_value());
}

TEST_CASE("depth is bounded, length is not") {
  CHECK_FALSE(evaluate(std::string(100000, '(')).has_value());
  CHECK_FALSE(evaluate(std::string(100000, '~') + "1").has_value());
  std::string choice;
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i) {
    choice += "1?1:";
    sum += "+1";
  }
  CHECK_FALSE(evaluate(choice + "1").has_value());
  CHECK(evaluate(sum)->bits == 100001);
}

} // namespace
} // namespace pegasus::ptx
