// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/lexer.h"

#include <array>
#include <cstddef>

namespace pegasus::ptx {
namespace {

enum Class : std::uint8_t { blank = 1, digit = 2, letter = 4, sigil = 8 }; // sigil: _ $

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> table{};
  for (int c = '0'; c <= '9'; ++c)
    table[static_cast<std::size_t>(c)] = digit;
  for (int c = 'a'; c <= 'z'; ++c)
    table[static_cast<std::size_t>(c)] = letter;
  for (int c = 'A'; c <= 'Z'; ++c)
    table[static_cast<std::size_t>(c)] = letter;
  for (char c : {' ', '\t', '\r', '\n', '\f', '\v'})
    table[static_cast<std::size_t>(c)] = blank;
  table['_'] = table['$'] = sigil;
  return table;
}
constexpr auto classes = make_classes();

bool is(char c, int wanted) { return (classes[static_cast<unsigned char>(c)] & wanted) != 0; }
bool starts_name(char c) { return is(c, letter | sigil); }
bool in_name(char c) { return is(c, letter | sigil | digit); }

bool is_pair(char a, char b) {
  switch (a) {
  case '<':
    return b == '<' || b == '=';
  case '>':
    return b == '>' || b == '=';
  case '=':
  case '!':
    return b == '=';
  case '&':
    return b == '&';
  case '|':
    return b == '|';
  default:
    return false;
  }
}

} // namespace

Token Lexer::take(Token::Kind kind, std::size_t bytes) {
  Token const token{kind, line_, text_.substr(position_, bytes)};
  position_ += bytes;
  return token;
}

void Lexer::skip_line() {
  while (position_ < text_.size() && text_[position_] != '\n')
    ++position_;
}

bool Lexer::skip_blank() {
  while (position_ < text_.size()) {
    char const c = text_[position_];
    if (is(c, blank)) {
      line_ += c == '\n';
      ++position_;
    } else if (c == '#' || (c == '/' && at(1) == '/')) { // # 1 "file.c": left by a C preprocessor
      skip_line();
    } else if (c == '/' && at(1) == '*') {
      std::size_t const end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) return false;
      for (; position_ < end + 2; ++position_)
        line_ += text_[position_] == '\n';
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!skip_blank()) return bad("a /* comment does not end");
  if (position_ >= text_.size()) return take(Token::Kind::end, 0);
  char const c = text_[position_];
  std::size_t bytes = 1;
  // A % is the start of a register's name or the remainder operator.
  if (starts_name(c) || (c == '%' && starts_name(at(1)))) {
    while (in_name(at(bytes)))
      ++bytes;
    return take(Token::Kind::identifier, bytes);
  }
  if (is(c, digit)) return number();
  if (c == '.') return dotted();
  if (c == '"') return string();
  if (is_pair(c, at(1))) return take(Token::Kind::punctuation, 2);
  if (std::string_view("{}()[]<>,;:=@!+-*/%&|^~?").find(c) != std::string_view::npos)
    return take(Token::Kind::punctuation, 1);
  return bad("a character that PTX does not use");
}

// .global, .2d, .16x64b, .L2::128B; but .5 is a number.
Token Lexer::dotted() {
  std::size_t bytes = 1;
  bool digits_only = true;
  while (in_name(at(bytes)) || (at(bytes) == ':' && at(bytes + 1) == ':')) {
    digits_only &= is(at(bytes), digit);
    bytes += at(bytes) == ':' ? 2 : 1;
  }
  if (bytes == 1) return bad("a lone '.'");
  if (digits_only) return number();
  Token token = take(Token::Kind::dotted, bytes);
  token.text.remove_prefix(1);
  return token;
}

// Takes all characters that can belong to a literal; literal.cpp checks it. Only decimals have a point or a
// sign in an exponent.
Token Lexer::number() {
  bool const prefixed = at(0) == '0' && is(at(1), letter) && at(1) != 'e' && at(1) != 'E';
  std::size_t bytes = 0;
  for (;; ++bytes) {
    char const c = at(bytes);
    if (is(c, digit | letter) || c == '_') continue;
    if (!prefixed && c == '.' && !is(at(bytes + 1), letter)) continue;
    bool const signs = c == '+' || c == '-';
    if (!prefixed && signs && bytes > 0 && (at(bytes - 1) == 'e' || at(bytes - 1) == 'E')) continue;
    break;
  }
  return take(Token::Kind::number, bytes);
}

Token Lexer::string() {
  std::size_t end = position_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
    end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] == '"' ? 2 : 1;
  if (end >= text_.size() || text_[end] != '"') return bad("a string does not end on its line");
  Token token = take(Token::Kind::string, end + 1 - position_);
  token.text.remove_prefix(1);
  token.text.remove_suffix(1);
  return token;
}

} // namespace pegasus::ptx
