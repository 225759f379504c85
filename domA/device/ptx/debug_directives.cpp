// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/debug_directives.h"

namespace pegasus::ptx {
namespace {

bool skip_numbers(Reader& in, int count) {
  std::uint64_t ignored = 0;
  for (int i = 0; i < count; ++i)
    if (!in.plain_number(ignored, "a number")) return false;
  return true;
}

// .loc 1 20 3, function_name $L__info_string0+4, inlined_at 1 10 5. No semicolon ends it.
bool skip_location(Reader& in) {
  if (!skip_numbers(in, 3)) return false;
  while (in.accept(",")) {
    std::string_view word;
    if (!in.identifier(word, "function_name or inlined_at")) return false;
    if (word == "inlined_at") {
      if (!skip_numbers(in, 3)) return false;
    } else if (word == "function_name") {
      if (!in.is(Token::Kind::identifier) && !in.is(Token::Kind::dotted)) return in.unexpected("a label");
      in.advance();
      if (in.accept("+") && !skip_numbers(in, 1)) return false;
    } else {
      return in.fail("expected function_name or inlined_at in .loc");
    }
  }
  return !in.failed();
}

// .file 1 "name.cu", 1699999999, 1234
bool skip_file(Reader& in) {
  if (!skip_numbers(in, 1)) return false;
  if (!in.is(Token::Kind::string)) return in.unexpected("a file's name");
  in.advance();
  while (in.accept(","))
    if (!skip_numbers(in, 1)) return false;
  return !in.failed();
}

bool skip_to(Reader& in, std::string_view punctuation) {
  while (!in.is(punctuation) && !in.is(Token::Kind::end))
    in.advance();
  return in.expect(punctuation);
}

} // namespace

bool debug_directive(std::string_view name) {
  return name == "loc" || name == "file" || name == "section" || name == "pragma";
}

bool skip_debug_directive(Reader& in) {
  std::string_view const name = in.token().text;
  in.advance();
  if (name == "loc") return skip_location(in);
  if (name == "file") return skip_file(in);
  if (name == "pragma") return skip_to(in, ";");
  return skip_to(in, "{") && in.skip_block();
}

} // namespace pegasus::ptx
