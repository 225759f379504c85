// SPDX-License-Identifier: Apache-2.0
// Operands: registers, immediates, symbols, addresses, vectors. PTX ISA 9.0, chapter 6.
#include "domA/device/ptx/body.h"

#include <fmt/core.h>

namespace pegasus::ptx {
namespace {

constexpr std::size_t max_address_parts = 8; // [tensor, {coordinates}, ...] has at most three

// d.x of a vector register; r, g, b and a are its colour names.
std::optional<std::uint32_t> component_index(std::string_view name) {
  if (name.size() != 1) return std::nullopt;
  for (std::string_view const names : {"xyzw", "rgba"})
    if (auto const at = names.find(name.front()); at != std::string_view::npos)
      return static_cast<std::uint32_t>(at);
  return std::nullopt;
}

// b0, h1, b3210: parts of a register in a video instruction. Section 9.7.19.
bool selector(std::string_view name) {
  return name.size() > 1 && (name.front() == 'b' || name.front() == 'h') &&
         name.substr(1).find_first_not_of("01234567") == std::string_view::npos;
}

} // namespace

void Body::immediate(Operand& operand, Constant value) {
  operand.kind = value.real() ? Operand::Kind::real : Operand::Kind::integer;
  operand.single = value.single;
  operand.bits = value.bits;
}

bool Body::operand(Operand& operand, bool branch) {
  if (branch) return label(operand);
  if (in_.is("[")) return address(operand);
  if (in_.is("{")) return operand_list(operand, "}");
  return simple(operand);
}

bool Body::label(Operand& operand) {
  std::uint32_t const line = in_.token().line;
  operand.kind = Operand::Kind::label;
  if (!in_.identifier(operand.symbol, "a label")) return false;
  pending_.push_back({operand.symbol, line, false, static_cast<std::uint32_t>(function_.instructions.size()),
                      static_cast<std::uint32_t>(operands_.size() - 1)});
  return in_.spend(1);
}

// A register, symbol, special register or constant.
bool Body::simple(Operand& operand) {
  bool const constant_name = in_.is(Token::Kind::identifier) && in_.token().text == "WARP_SZ";
  if (in_.is(Token::Kind::identifier) && !constant_name) return named(operand);
  if (!in_.starts_constant()) return in_.unexpected("an operand");
  Constant value;
  if (in_.is("!") || in_.is("-")) {
    char const op = in_.token().text.front();
    in_.advance();
    if (in_.is(Token::Kind::identifier) && in_.token().text != "WARP_SZ") {
      if (!named(operand)) return false;
      operand.negated = true;
      return operand.kind == Operand::Kind::reg ||
             in_.fail(fmt::format("'{}' before what is not a register", op));
    }
    if (!in_.constant_after_unary(op, value)) return false;
  } else if (!in_.constant(value)) {
    return false;
  }
  immediate(operand, value);
  return true;
}

bool Body::named(Operand& operand) {
  std::string_view name;
  if (!in_.identifier(name, "a name")) return false;
  if (name == "_") {
    operand.kind = Operand::Kind::discard;
    return true;
  }
  auto const found = scopes_.find(name);
  if (found && found->out_of_range)
    return in_.fail(
        fmt::format("register {} is not declared: its range has {}", quoted(name), found->binding.count));
  if (found) return bound(operand, name, found->binding);
  if (name.front() == '%') return special(operand, name);
  operand.kind = Operand::Kind::symbol;
  operand.symbol = name;
  if (in_.is("[")) return array_element(operand, module_names_(name).value_or(0));
  return offset(operand);
}

bool Body::bound(Operand& operand, std::string_view name, Binding const& binding) {
  switch (binding.kind) {
  case Binding::Kind::reg:
    operand.kind = Operand::Kind::reg;
    operand.reg = binding.index;
    if (!in_.is(Token::Kind::dotted)) return true;
    if (!selector(in_.token().text)) return in_.unexpected("',' or ';'");
    operand.symbol = in_.token().text;
    in_.advance();
    return true;
  case Binding::Kind::vector:
    return component(operand, binding);
  case Binding::Kind::range:
    return in_.fail(fmt::format("{} is a range of registers", quoted(name)));
  case Binding::Kind::variable: {
    Variable const& variable = function_.variables[binding.index];
    operand.kind = Operand::Kind::symbol;
    operand.symbol = variable.name;
    return in_.is("[") ? array_element(operand, bytes_of(variable.type) * variable.vector) : offset(operand);
  }
  case Binding::Kind::other:
    break;
  }
  operand.kind = Operand::Kind::symbol;
  operand.symbol = binding.name;
  return offset(operand);
}

// v.x is one register; v alone is all of them.
bool Body::component(Operand& operand, Binding const& binding) {
  if (in_.is(Token::Kind::dotted)) {
    auto const index = component_index(in_.token().text);
    if (!index || *index >= binding.count) return in_.unexpected("a component of the vector register");
    in_.advance();
    operand.kind = Operand::Kind::reg;
    operand.reg = binding.index + *index;
    return true;
  }
  operand.kind = Operand::Kind::vector;
  if (!in_.spend(binding.count)) return false;
  operand.elements.resize(binding.count);
  for (std::uint32_t i = 0; i < binding.count; ++i) {
    operand.elements[i].kind = Operand::Kind::reg;
    operand.elements[i].reg = binding.index + i;
  }
  return true;
}

// a[2]: two elements behind a. Section 6.4.2.
bool Body::array_element(Operand& operand, std::uint32_t element_bytes) {
  in_.advance();
  std::uint64_t index = 0;
  if (!in_.whole(index, "a constant index") || !in_.expect("]")) return false;
  if (element_bytes == 0) return in_.fail(fmt::format("{} is not a declared array", quoted(operand.symbol)));
  operand.kind = Operand::Kind::address; // except for mov, see instruction()
  operand.offset = static_cast<std::int64_t>(index * element_bytes);
  return true;
}

bool Body::special(Operand& operand, std::string_view name) {
  operand.kind = Operand::Kind::special;
  operand.symbol = name;
  if (!in_.is(Token::Kind::dotted)) return true;
  std::string_view const part = in_.token().text;
  if (name.data() + name.size() + 1 != part.data()) // without a gap in the text: %tid.x
    return in_.fail(fmt::format("a blank between {} and its component", quoted(name)));
  operand.symbol = std::string_view(name.data(), name.size() + 1 + part.size());
  in_.advance();
  return true;
}

// +4, -4, +-4 behind a base.
bool Body::offset(Operand& operand) {
  if (!in_.is("+") && !in_.is("-")) return true;
  Constant value;
  if (!in_.constant_after(Constant::of(std::int64_t{0}), value)) return false;
  if (value.real()) return in_.fail("an address with an offset that is not whole");
  operand.offset = static_cast<std::int64_t>(value.bits);
  return true;
}

// [register+4], [symbol+4], [4], [texture, {x, y}]. Section 6.4.1.
bool Body::address(Operand& operand) {
  in_.advance();
  Operand base;
  if (!simple(base)) return false;
  operand.kind = Operand::Kind::address;
  switch (base.kind) {
  case Operand::Kind::reg:
    operand.reg_base = true;
    operand.reg = base.reg;
    if (base.negated || !base.symbol.empty()) return in_.fail("an address that is not a plain register");
    if (!offset(operand)) return false;
    break;
  case Operand::Kind::symbol:
    operand.symbol = base.symbol;
    operand.offset = base.offset;
    break;
  case Operand::Kind::integer:
    operand.offset = static_cast<std::int64_t>(base.bits);
    break;
  case Operand::Kind::special:
    return in_.fail(fmt::format("register {} is not declared", quoted(base.symbol)));
  default:
    return in_.unexpected("a register, a symbol or a number in an address");
  }
  while (in_.accept(",")) {
    if (operand.elements.size() == max_address_parts) return in_.fail("an address with too many parts");
    Operand& part = operand.elements.emplace_back();
    if (!in_.spend(1) || !(in_.is("{") ? operand_list(part, "}") : simple(part))) return false;
  }
  return in_.expect("]");
}

} // namespace pegasus::ptx
