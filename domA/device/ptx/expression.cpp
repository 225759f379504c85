// SPDX-License-Identifier: Apache-2.0
// Constant expressions: C's operators on .s64, .u64 and .f64. PTX ISA 9.0, section 4.5.5 and its
// table of types.
#include "domA/device/ptx/reader.h"

#include <array>
#include <fmt/core.h>
#include <limits>

namespace pegasus::ptx {
namespace {

// The precedence in C; 0 if it is not a binary operator.
int strength(Token const& token) {
  if (token.kind != Token::Kind::punctuation) return 0;
  struct Row {
    std::string_view op;
    int strength;
  };
  static constexpr std::array<Row, 18> rows{{{"||", 1},
                                             {"&&", 2},
                                             {"|", 3},
                                             {"^", 4},
                                             {"&", 5},
                                             {"==", 6},
                                             {"!=", 6},
                                             {"<", 7},
                                             {">", 7},
                                             {"<=", 7},
                                             {">=", 7},
                                             {"<<", 8},
                                             {">>", 8},
                                             {"+", 9},
                                             {"-", 9},
                                             {"*", 10},
                                             {"/", 10},
                                             {"%", 10}}};
  for (Row const& row : rows)
    if (row.op == token.text) return row.strength;
  return 0;
}

template <class T> std::optional<bool> compare(std::string_view op, T a, T b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  return std::nullopt;
}

std::optional<double> apply_real(char op, double a, double b) {
  switch (op) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '/':
    return b == 0 ? std::optional<double>() : a / b;
  default:
    return std::nullopt;
  }
}

std::optional<std::uint64_t> divide(char op, std::uint64_t a, std::uint64_t b, bool is_signed) {
  if (b == 0) return std::nullopt;
  if (!is_signed) return op == '/' ? a / b : a % b;
  // -1: the smallest .s64 has no positive counterpart, so wrap.
  if (b == std::numeric_limits<std::uint64_t>::max()) return op == '/' ? 0 - a : 0;
  auto const x = static_cast<std::int64_t>(a);
  auto const y = static_cast<std::int64_t>(b);
  return static_cast<std::uint64_t>(op == '/' ? x / y : x % y);
}

// Two's complement throughout. A shift by more than 63 shifts all bits out, as PTX's shl and shr do.
std::optional<std::uint64_t> apply_whole(std::string_view op, std::uint64_t a, std::uint64_t b,
                                         bool is_signed) {
  if (op == "<<") return b > 63 ? 0 : a << b;
  if (op == ">>")
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (b > 63 ? 63 : b))
                     : (b > 63 ? 0 : a >> b);
  switch (op.front()) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '&':
    return a & b;
  case '|':
    return a | b;
  case '^':
    return a ^ b;
  default:
    return divide(op.front(), a, b, is_signed);
  }
}

bool truth(Constant const& c) { return c.real() ? c.value() != 0 : c.bits != 0; }
Constant of_truth(bool v) { return Constant::of(std::int64_t{v ? 1 : 0}); }

} // namespace

bool Reader::starts_constant() const {
  if (is(Token::Kind::number)) return true;
  if (is(Token::Kind::identifier)) return token_.text == "WARP_SZ";
  return is("-") || is("+") || is("~") || is("!") || is("(");
}

bool Reader::constant(Constant& value) { return unary(value, 0) && binary(value, 1, 0) && ternary(value, 0); }

bool Reader::constant_after(Constant first, Constant& value) {
  value = first;
  return binary(value, 1, 0) && ternary(value, 0);
}

bool Reader::constant_after_unary(char op, Constant& value) {
  return unary(value, 1) && apply_unary(op, value) && binary(value, 1, 0) && ternary(value, 0);
}

bool Reader::primary(Constant& value) {
  if (is(Token::Kind::identifier) && token_.text == "WARP_SZ") {
    value = Constant::of(std::int64_t{32});
  } else {
    auto const number = is(Token::Kind::number) ? literal(token_.text) : std::nullopt;
    if (!number) return unexpected("a number");
    value = *number;
  }
  advance();
  return true;
}

bool Reader::unary(Constant& value, int depth) {
  if (depth > expression_depth) return fail("a constant expression is nested too deeply");
  for (char const op : {'-', '+', '~', '!'})
    if (accept(std::string_view(&op, 1))) return unary(value, depth + 1) && apply_unary(op, value);
  if (!is("(")) return primary(value);
  // Casts are (.s64) and (.u64); anything else in parentheses is an expression.
  advance();
  if (!is_dotted("s64") && !is_dotted("u64"))
    return unary(value, depth + 1) && binary(value, 1, depth + 1) && ternary(value, depth + 1) && expect(")");
  bool const to_signed = is_dotted("s64");
  advance();
  if (!expect(")") || !unary(value, depth + 1)) return false;
  if (value.real()) return fail("a cast of a floating-point constant is not an integer");
  value.kind = to_signed ? Constant::Kind::s64 : Constant::Kind::u64;
  return true;
}

bool Reader::apply_unary(char op, Constant& value) {
  switch (op) {
  case '-':
    if (value.real())
      value.bits ^= value.single ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    else
      value.bits = 0 - value.bits;
    return true;
  case '~':
    if (value.real()) return fail("'~' of a floating-point constant");
    value.bits = ~value.bits;
    return true;
  case '!':
    value = of_truth(!truth(value));
    return true;
  default:
    return true;
  }
}

bool Reader::binary(Constant& left, int weakest, int depth) {
  for (int power = strength(token_); power >= weakest && power > 0; power = strength(token_)) {
    std::string_view const op = token_.text;
    advance();
    Constant right;
    if (!unary(right, depth + 1) || !binary(right, power + 1, depth + 1) || !apply(op, left, right))
      return false;
  }
  return !failed();
}

bool Reader::ternary(Constant& condition, int depth) {
  if (!is("?")) return true;
  if (depth > expression_depth) return fail("a constant expression is nested too deeply");
  advance();
  Constant yes;
  Constant no;
  if (!unary(yes, depth + 1) || !binary(yes, 1, depth + 1) || !ternary(yes, depth + 1) || !expect(":") ||
      !unary(no, depth + 1) || !binary(no, 1, depth + 1) || !ternary(no, depth + 1))
    return false;
  condition = truth(condition) ? yes : no;
  return true;
}

bool Reader::apply(std::string_view op, Constant& left, Constant right) {
  if (op == "&&" || op == "||") {
    left = of_truth(op == "&&" ? truth(left) && truth(right) : truth(left) || truth(right));
    return true;
  }
  if (left.real() || right.real()) {
    double const a = left.value();
    double const b = right.value();
    if (auto const verdict = compare(op, a, b))
      left = of_truth(*verdict);
    else if (auto const result = op.size() == 1 ? apply_real(op.front(), a, b) : std::nullopt)
      left = Constant::of(*result);
    else
      return fail(fmt::format("'{}' cannot be applied to these floating-point constants", op));
    return true;
  }
  bool const shift = op == "<<" || op == ">>"; // a shift has the type of its left operand
  bool const both_signed = left.is_signed() && (shift || right.is_signed());
  auto const verdict =
      both_signed ? compare(op, static_cast<std::int64_t>(left.bits), static_cast<std::int64_t>(right.bits))
                  : compare(op, left.bits, right.bits);
  if (verdict) {
    left = of_truth(*verdict);
    return true;
  }
  auto const result = apply_whole(op, left.bits, right.bits, both_signed);
  if (!result) return fail("a constant expression divides by zero");
  left = Constant{both_signed ? Constant::Kind::s64 : Constant::Kind::u64, false, *result};
  return true;
}

} // namespace pegasus::ptx
