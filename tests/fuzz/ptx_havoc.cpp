// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_havoc.h"

#include "tests/fuzz/ptx_forms.h"

#include <cctype>
#include <string_view>

namespace pegasus::fuzz {
namespace {

constexpr std::string_view troublemakers = "_ .b128 .pred .b8 .f16x2 .f64 .v2 .v4 .v8 .reg .param .local "
                                           ".shared .const .global .func .entry .extern .uni "
                                           ".sync .wide .hi .cc .ftz .sat 0 1 -1 31 32 0x7fffffff 0xffffffff "
                                           "0x7fffffffffffffff -0x8000000000000000 65536 "
                                           "4294967296 0f7fc00000 0d7ff8000000000001 WARP_SZ %tid.x %laneid "
                                           "%p0 %r0 %rd1 ret exit bra call trap ! - ";

struct Piece {
  std::size_t from = 0, bytes = 0;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$' || c == '.';
}

std::size_t place(std::string const& text, Input& choices) {
  return static_cast<std::size_t>(choices.take<std::uint32_t>()) % text.size();
}

// Modifiers and types are separate words: "add" ".s32".
Piece word(std::string const& text, Input& choices) {
  std::size_t from = place(text, choices);
  while (from + 1 < text.size() && !is_word(text[from]))
    ++from;
  while (from > 0 && is_word(text[from]) && text[from] != '.' && is_word(text[from - 1]))
    --from;
  std::size_t end = from + 1;
  while (end < text.size() && is_word(text[end]) && text[end] != '.')
    ++end;
  return {from, end - from};
}

Piece line(std::string const& text, Input& choices) {
  std::size_t const at = place(text, choices);
  std::size_t const before = text.rfind('\n', at == 0 ? 0 : at - 1);
  std::size_t const from = before == std::string::npos || at == 0 ? 0 : before + 1;
  std::size_t const end = text.find('\n', from);
  return {from, (end == std::string::npos ? text.size() : end + 1) - from};
}

void damage(std::string& text, Input& choices) {
  auto const choice = choices.take<std::uint8_t>();
  if (choice % 8 < 4) {
    Piece const old = word(text, choices);
    Piece const with = word(text, choices);
    text.replace(old.from, old.bytes, text.substr(with.from, with.bytes));
  } else if (choice % 8 == 4) {
    Piece const old = word(text, choices);
    text.replace(old.from, old.bytes, word_of(troublemakers, choices.take<std::uint8_t>()));
  } else if (choice % 8 == 5) { // a digit
    std::size_t const digit = text.find_first_of("0123456789", place(text, choices));
    if (digit != std::string::npos) text[digit] = static_cast<char>('0' + choice / 8 % 10);
  } else {
    Piece const old = line(text, choices);
    std::string const copy = text.substr(old.from, old.bytes);
    if (choice % 8 == 6) text.erase(old.from, old.bytes);
    if (!text.empty() && choice / 8 % 4 != 0) text.insert(line(text, choices).from, copy);
  }
}

} // namespace

std::string havoc(std::string text, Input& choices, unsigned times) {
  for (; times > 0 && !text.empty(); --times)
    damage(text, choices);
  return text;
}

} // namespace pegasus::fuzz
