// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/lexer.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace pegasus::ptx {
namespace {

std::vector<std::string> tokens(std::string_view text) {
  // end identifier dotted number string punctuation bad
  static constexpr std::string_view letters = "$idns'!";
  std::vector<std::string> all;
  Lexer lexer(text);
  for (Token token = lexer.next();; token = lexer.next()) {
    all.push_back(std::string(1, letters[static_cast<std::size_t>(token.kind)]) + std::string(token.text));
    if (token.kind == Token::Kind::end || token.kind == Token::Kind::bad) return all;
  }
}

TEST_CASE("tokens of every kind") {
  using V = std::vector<std::string>;
  struct Row {
    char const* text;
    V expected;
  };
  auto const row = GENERATE(values<Row>({
      {"", {"$"}},
      {"add.s32 %r1, %r2, -4;", {"iadd", "ds32", "i%r1", "',", "i%r2", "',", "'-", "n4", "';", "$"}},
      {"%tid.x", {"i%tid", "dx", "$"}},
      {"$L__BB0_2: _", {"i$L__BB0_2", "':", "i_", "$"}},
      {".L2::128B .2d .m16n8k16 .16x64b", {"dL2::128B", "d2d", "dm16n8k16", "d16x64b", "$"}},
      {"a.shared::cta b", {"ia", "dshared::cta", "ib", "$"}},
      {".5 1.5 1. 1e-5 2.5E+3", {"n.5", "n1.5", "n1.", "n1e-5", "n2.5E+3", "$"}},
      {"0f3F800000 0d3FF0000000000000 0x1E+4 12U",
       {"n0f3F800000", "n0d3FF0000000000000", "n0x1E", "'+", "n4", "n12U", "$"}},
      {"%r<9>=1<<2", {"i%r", "'<", "n9", "'>=", "n1", "'<<", "n2", "$"}},
      {"5%3 % x", {"n5", "'%", "n3", "'%", "ix", "$"}},
      {"@!p ~a&&b||c!=d", {"'@", "'!", "ip", "'~", "ia", "'&&", "ib", "'||", "ic", "'!=", "id", "$"}},
      {".file 1 \"a b\\\"c.cu\"", {"dfile", "n1", "sa b\\\"c.cu", "$"}},
      {"a // b\n/* c\n d */ e\n# 1 \"x\"\nf", {"ia", "ie", "if", "$"}},
      {"a /* b", {"ia", "!a /* comment does not end"}},
      {"\"abc\n\"", {"!a string does not end on its line"}},
      {"\"abc", {"!a string does not end on its line"}},
      {"a . b", {"ia", "!a lone '.'"}},
      {"a ` b", {"ia", "!a character that PTX does not use"}},
      {"a \x80", {"ia", "!a character that PTX does not use"}},
  }));
  INFO(row.text);
  CHECK(tokens(row.text) == row.expected);
}

TEST_CASE("a NUL inside the text is not a token") {
  CHECK(tokens(std::string_view("a\0b", 3)).back() == "!a character that PTX does not use");
}

TEST_CASE("lines are counted through comments") {
  Lexer lexer("a\n/*\n\n*/ b // c\nd");
  CHECK(lexer.next().line == 1);
  CHECK(lexer.next().line == 4);
  CHECK(lexer.next().line == 5);
}

} // namespace
} // namespace pegasus::ptx
