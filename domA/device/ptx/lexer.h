// SPDX-License-Identifier: Apache-2.0
// Splits PTX text into tokens, one at a time, in one pass and without allocation. PTX ISA 9.0, sections
// 4.1 to 4.5.
#pragma once

#include <cstdint>
#include <string_view>

namespace pegasus::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    identifier,  // foo, %tid, $L__BB0_2, _
    dotted,      // .global, .v4, .L2::128B: `text` is without the dot
    number,      // any literal, `text` as written; literal.h gives its value
    string,      // `text` is without the quotes
    punctuation, // one character, or one of << >> <= >= == != && ||
    bad,         // not PTX: `text` says what is wrong
  };
  Kind kind = Kind::end;
  std::uint32_t line = 0;
  std::string_view text;
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}
  [[nodiscard]] Token next();
  // Continues after the end of the current line: for directives that are whole lines (@@DWARF).
  void skip_line();

private:
  [[nodiscard]] bool skip_blank(); // false: an unterminated comment
  [[nodiscard]] Token dotted();
  [[nodiscard]] Token number();
  [[nodiscard]] Token string();
  [[nodiscard]] Token take(Token::Kind, std::size_t bytes);
  [[nodiscard]] Token bad(std::string_view why) const { return {Token::Kind::bad, line_, why}; }
  [[nodiscard]] char at(std::size_t ahead) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
};

} // namespace pegasus::ptx
