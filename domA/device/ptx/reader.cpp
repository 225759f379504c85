// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/reader.h"

#include <fmt/core.h>

namespace pegasus::ptx {

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string shown = "'";
  for (char const c : text.substr(0, longest))
    shown += c >= ' ' && c <= '~' ? c : '?';
  shown += text.size() > longest ? "...'" : "'";
  return shown;
}

void Reader::advance() {
  if (error_) return; // the token stays `end`, see fail_at
  token_ = lexer_.next();
  if (token_.kind == Token::Kind::bad) fail(std::string(token_.text));
}

void Reader::skip_line() {
  lexer_.skip_line();
  advance();
}

bool Reader::accept(std::string_view punctuation) {
  if (!is(punctuation)) return false;
  advance();
  return true;
}

bool Reader::accept_dotted(std::string_view name) {
  if (!is_dotted(name)) return false;
  advance();
  return true;
}

bool Reader::expect(std::string_view punctuation) {
  return accept(punctuation) || unexpected(fmt::format("'{}'", punctuation));
}

bool Reader::identifier(std::string_view& name, std::string_view what) {
  if (!is(Token::Kind::identifier)) return unexpected(what);
  name = token_.text;
  advance();
  return true;
}

bool Reader::plain_number(std::uint64_t& value, std::string_view what) {
  auto const number = is(Token::Kind::number) ? literal(token_.text) : std::nullopt;
  if (!number || number->real()) return unexpected(what);
  value = number->bits;
  advance();
  return true;
}

bool Reader::whole(std::uint64_t& value, std::string_view what) {
  if (!starts_constant()) return unexpected(what);
  Constant number;
  if (!constant(number)) return false;
  if (number.real()) return fail(fmt::format("expected {}, found a number that is not whole", what));
  value = number.bits;
  return true;
}

bool Reader::skip_block() {
  for (std::size_t depth = 1; depth > 0; advance()) {
    if (is(Token::Kind::end)) return unexpected("'}'");
    depth += is("{") ? 1u : 0u;
    depth -= is("}") ? 1u : 0u;
  }
  return !failed();
}

// After an error the parser sees only the end of the text: every loop ends.
bool Reader::fail_at(std::uint32_t line, std::string message) {
  if (!error_) error_ = Error{line, std::move(message)};
  token_ = Token{Token::Kind::end, token_.line, {}};
  return false;
}

bool Reader::unexpected(std::string_view wanted) {
  std::string found;
  switch (token_.kind) {
  case Token::Kind::end:
    found = "the end of the text";
    break;
  case Token::Kind::dotted:
    found = quoted("." + std::string(token_.text.substr(0, 100)));
    break;
  case Token::Kind::string:
    found = "a string";
    break;
  default:
    found = quoted(token_.text);
    break;
  }
  return fail(fmt::format("expected {}, found {}", wanted, found));
}

bool Reader::spend(std::size_t units) {
  if (units > budget - spent_)
    return fail(
        "the module is too large: more instructions, operands or initial data than this device takes");
  spent_ += units;
  return true;
}

} // namespace pegasus::ptx
