// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/declaration.h"

#include "domA/device/ptx/test_text.h"

#include <vector>

namespace pegasus::ptx {
namespace {
using namespace test;

TEST_CASE("initial values") {
  using Bytes = std::vector<std::uint8_t>;
  struct Row {
    char const* text;
    Bytes expected;
  };
  auto const row = GENERATE(values<Row>({
      {".global .b8 v = 7;", {7}},
      {".global .u16 v = -2;", {0xfe, 0xff}},
      {".global .align 8 .b32 v = 0x01020304;", {4, 3, 2, 1}},
      {".const .f32 v = 0f3F800000;", {0, 0, 0x80, 0x3f}},
      {".const .f32 v = -1.5;", {0, 0, 0xc0, 0xbf}},
      {".const .f64 v = 0d3FF0000000000000;", {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
      {".const .f64 v = 1.0;", {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
      {".global .b8 v[4] = {1, 2};", {1, 2, 0, 0}},
      {".global .b8 v[] = {1, 2, 3};", {1, 2, 3}},
      {".global .b8 v[2][2] = {{1}, {2, 3}};", {1, 0, 2, 3}},
      {".global .b8 v[][2] = {{1}, {2, 3}};", {1, 0, 2, 3}},
      {".global .b8 v[2][2] = {1, 2, 3, 4};", {1, 2, 3, 4}},
      {".global .b8 v[2][2][1] = {{{1}, {2}}, {{3}, {4}}};", {1, 2, 3, 4}},
      {".global .v2 .u16 v = {1, 2};", {1, 0, 2, 0}},
      {".global .v2 .u16 v[2] = {{1, 2}, {3}};", {1, 0, 2, 0, 3, 0, 0, 0}},
      {".global .u8 v[2] = {1+2, (3)};", {3, 3}},
      {".global .u32 v[4] = {0, 0};", {}}, // zeros are not stored
  }));
  INFO(row.text);
  Module const module = parsed(module_with(row.text));
  REQUIRE(module.variables.size() == 1);
  CHECK(module.variables[0].initial == row.expected);
  CHECK((row.expected.empty() || module.variables[0].bytes == row.expected.size()));
}

TEST_CASE("addresses in initial values") {
  Module const module =
      parsed(module_with(".global .u32 a; .global .u64 v[4] = {a, generic(a)+8, 5, generic(a)};"));
  auto const& all = module.variables[1].relocations;
  REQUIRE(all.size() == 3);
  CHECK(all[0].offset == 0);
  CHECK(all[0].bytes == 8);
  CHECK(all[0].symbol == "a");
  CHECK_FALSE(all[0].generic);
  CHECK(all[1].offset == 8);
  CHECK(all[1].addend == 8);
  CHECK(all[1].generic);
  CHECK(all[2].offset == 24);
  CHECK(module.variables[1].initial.size() == 32);
  CHECK(module.variables[1].initial[16] == 5);
}

TEST_CASE("addresses written byte by byte are one address") {
  std::string text = ".global .u32 a; .global .b8 v[12] = {1, 2, 3, 4";
  for (char const* mask : {"0xFF", "0xFF00", "0xFF0000", "0xFF000000", "0xFF00000000", "0xFF0000000000",
                           "0xFF000000000000", "0xFF00000000000000"})
    text += std::string(", ") + mask + "(generic(a)+4)";
  Module const module = parsed(module_with(text + "};"));
  auto const& all = module.variables[1].relocations;
  REQUIRE(all.size() == 1);
  CHECK(all[0].offset == 4);
  CHECK(all[0].bytes == 8);
  CHECK(all[0].shift == 0);
  CHECK(all[0].addend == 4);
  CHECK(all[0].generic);

  Module const part = parsed(module_with(".global .u32 a; .global .b8 v[2] = {0xFF00(a), 0xFF(a)};"));
  REQUIRE(part.variables[1].relocations.size() == 2);
  CHECK(part.variables[1].relocations[0].shift == 8);
  CHECK(part.variables[1].relocations[0].bytes == 1);
}

TEST_CASE("wrong initial values") {
  struct Row {
    char const* text;
    char const* message;
  };
  auto const row = GENERATE(values<Row>({
      {".global .b8 v[2] = {1, 2, 3};", "more elements"},
      {".global .b8 v[2][2] = {{1, 2, 3}};", "more elements"},
      {".global .b8 v[2][2] = {{1}, {2}, {3}};", "more elements"},
      {".global .b8 v[2] = {{1}};", "more braces"},
      {".global .b8 v = {{1}};", "more braces"},
      {".global .b8 v[2] = {1, };", "initial value"},
      {".global .b8 v[2] = {1 2};", "','"},
      {".global .b8 v[2] = {1", "','"},
      {".global .b8 v = \"abc\";", "initial value"},
      {".global .u32 v = 1.5;", "floating-point"},
      {".global .b8 v = 0xF0(v);", "mask"},
      {".global .b8 v = 0xFFFF(v);", "mask"},
      {".global .b8 v = 0(v);", "','"},
      {".global .b8 v = 0xFF(5);", "symbol"},
      {".global .b128 v = 5;", "type"},
      {".global .b8 v[][0] = {1};", "no length"},
      {".global .b8 v[1099511627776] = {1};", "too large"},
      {".global .b8 v[][1099511627776] = {{}, {1}};", "too large"},
      {".global .b8 v[][500000000000] = {{}, {}, {}, {}};", "too large"},
      {".shared .b8 v = 1;", "initial value"},
      {".global .b8 v = 1/0;", "zero"},
  }));
  INFO(row.text);
  CHECK_THAT(refused(module_with(row.text)).message, Catch::Contains(row.message));
}

} // namespace
} // namespace pegasus::ptx
