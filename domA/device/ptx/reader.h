// SPDX-License-Identifier: Apache-2.0
// The common part of the parser: the current token, the first error, constant expressions, and a budget that
// limits the memory that a hostile text can make the parser use. Functions that return bool return false
// after an error.
#pragma once

#include "domA/device/ptx/lexer.h"
#include "domA/device/ptx/literal.h"
#include "domA/device/ptx/module.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pegasus::ptx {

class Reader {
public:
  explicit Reader(std::string_view text) : lexer_(text) { advance(); }

  [[nodiscard]] Token const& token() const { return token_; }
  void advance();
  void skip_line(); // the rest of the line; its first token is the current one

  [[nodiscard]] bool is(Token::Kind kind) const { return token_.kind == kind; }
  [[nodiscard]] bool is(std::string_view punctuation) const {
    return token_.kind == Token::Kind::punctuation && token_.text == punctuation;
  }
  [[nodiscard]] bool is_dotted(std::string_view name) const {
    return token_.kind == Token::Kind::dotted && token_.text == name;
  }
  bool accept(std::string_view punctuation);
  bool accept_dotted(std::string_view name);
  [[nodiscard]] bool expect(std::string_view punctuation);
  [[nodiscard]] bool identifier(std::string_view& name, std::string_view what);

  // Only a literal (in r<9> an expression would take the '>').
  [[nodiscard]] bool plain_number(std::uint64_t& value, std::string_view what);
  // A constant expression that is an integer.
  [[nodiscard]] bool whole(std::uint64_t& value, std::string_view what);
  // A constant expression. PTX ISA 9.0, section 4.5.5.
  [[nodiscard]] bool constant(Constant& value);
  // The same if its first operand was already read, or a unary operator was (`-` before a token that is
  // not a register).
  [[nodiscard]] bool constant_after(Constant first, Constant& value);
  [[nodiscard]] bool constant_after_unary(char op, Constant& value);
  [[nodiscard]] bool starts_constant() const;

  // Skips to the `}` that matches the `{` just read. The contents are not checked.
  [[nodiscard]] bool skip_block();

  bool fail(std::string message) { return fail_at(token_.line, std::move(message)); }
  bool fail_at(std::uint32_t line, std::string message);
  bool unexpected(std::string_view wanted); // "expected ..., found ..."
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] Error error() const { return error_.value_or(Error{}); }

  // Counts the stored objects, in units of about 64 bytes. The largest module seen (26.8 MB of text)
  // takes 4 million.
  static constexpr std::size_t budget = std::size_t{1} << 25;
  [[nodiscard]] bool spend(std::size_t units);

private:
  static constexpr int expression_depth = 64;
  bool unary(Constant& value, int depth);
  bool apply_unary(char op, Constant& value);
  bool primary(Constant& value);
  bool binary(Constant& left, int weakest, int depth);
  bool ternary(Constant& condition, int depth);
  bool apply(std::string_view op, Constant& left, Constant right);

  Lexer lexer_;
  Token token_;
  std::size_t spent_ = 0;
  std::optional<Error> error_;
};

// A name from the text for a message: shortened, printable.
[[nodiscard]] std::string quoted(std::string_view text);

} // namespace pegasus::ptx
