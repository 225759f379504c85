// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/declaration.h"

#include "domA/device/ptx/types.h"

#include <fmt/core.h>

namespace pegasus::ptx {
namespace {

constexpr std::uint64_t max_variable = std::uint64_t{1} << 40;
constexpr std::size_t max_dimensions = 16;

bool parse_align(Reader& in, std::uint32_t& align) {
  std::uint64_t value = 0;
  if (!in.plain_number(value, "an alignment")) return false;
  if (value == 0 || value > 65536 || (value & (value - 1)) != 0)
    return in.fail(fmt::format("an alignment of {} bytes: it must be a power of two up to 65536", value));
  align = static_cast<std::uint32_t>(value);
  return true;
}

// .attribute(.managed, .unified(1, 2))
bool parse_attributes(Reader& in, Declaration& declaration) {
  if (!in.expect("(")) return false;
  for (std::size_t depth = 1; depth > 0; in.advance()) {
    if (in.is(Token::Kind::end)) return in.unexpected("')'");
    declaration.managed |= in.is_dotted("managed");
    depth += in.is("(") ? 1u : 0u;
    depth -= in.is(")") ? 1u : 0u;
  }
  return !in.failed();
}

// .const[2]: the constant banks of PTX 1.x and 2.x; later versions have one space.
bool skip_bank(Reader& in) {
  std::uint64_t bank = 0;
  return !in.accept("[") || ((in.is("]") || in.plain_number(bank, "a constant bank")) && in.expect("]"));
}

// .ptr .global .align 4: what a pointer parameter points at; execution does not need it.
bool skip_pointee(Reader& in) {
  std::uint32_t align = 0;
  for (;;) {
    if (in.accept_dotted("align")) {
      if (!parse_align(in, align)) return false;
    } else if (in.is(Token::Kind::dotted) && space_named(in.token().text) != Space::none) {
      in.advance();
    } else {
      return true;
    }
  }
}

bool parse_qualifier(Reader& in, Declaration& declaration) {
  std::string_view const word = in.token().text;
  Space const space = space_named(word);
  Type const type = type_named(word);
  if (space != Space::none && declaration.space == Space::none) {
    declaration.space = space;
    in.advance();
    return space != Space::constant || skip_bank(in);
  }
  if (type != Type::none && declaration.type == Type::none) {
    declaration.type = type;
    in.advance();
    return true;
  }
  if (opaque_type(word) && declaration.type == Type::none) {
    declaration.type = Type::b64;
    declaration.opaque = true;
    in.advance();
    return true;
  }
  if (word == "v2" || word == "v4" || word == "v8") {
    declaration.vector = static_cast<std::uint32_t>(word[1] - '0');
    in.advance();
    return true;
  }
  if (in.accept_dotted("align")) return parse_align(in, declaration.align);
  if (in.accept_dotted("attribute")) return parse_attributes(in, declaration);
  if (in.accept_dotted("ptr")) return skip_pointee(in);
  return in.unexpected("a type or a name");
}

} // namespace

bool parse_declaration(Reader& in, Declaration& declaration) {
  declaration.line = in.token().line;
  while (in.is(Token::Kind::dotted))
    if (!parse_qualifier(in, declaration)) return false;
  if (declaration.space == Space::none) return in.unexpected("a state space");
  if (declaration.type == Type::none) return in.unexpected("a type");
  if (declaration.type == Type::pred && declaration.space != Space::reg)
    return in.fail(".pred is a type for registers only");
  return true;
}

bool parse_variable(Reader& in, Declaration const& declaration, Variable& variable,
                    std::vector<std::uint64_t>& dimensions) {
  dimensions.clear();
  variable.space = declaration.space;
  variable.type = declaration.type;
  variable.vector = declaration.vector;
  variable.managed = declaration.managed;
  variable.opaque = declaration.opaque;
  variable.line = in.token().line;
  std::uint64_t const element = std::uint64_t{bytes_of(declaration.type)} * declaration.vector;
  variable.align = declaration.align != 0 ? declaration.align : static_cast<std::uint32_t>(element);
  if (!in.spend(3) || !in.identifier(variable.name, "a name")) return false;
  variable.bytes = element;
  while (in.accept("[")) {
    std::uint64_t count = 0;
    bool const unknown = in.is("]");
    if (unknown ? !dimensions.empty() : !in.whole(count, "an array's length"))
      return in.unexpected("an array's length (only the first may be left out)");
    if (!in.expect("]")) return false;
    if (dimensions.size() == max_dimensions || (count != 0 && variable.bytes > max_variable / count))
      return in.fail(fmt::format("{} is too large an array", quoted(variable.name)));
    variable.bytes *= dimensions.empty() && count == 0 ? 1 : count;
    dimensions.push_back(count);
  }
  // Rows behind an unknown or zero first dimension have a size; the whole array has none yet.
  if (!dimensions.empty() && dimensions.front() == 0) variable.bytes = 0;
  if (declaration.vector > 1) dimensions.push_back(declaration.vector);
  return true;
}

bool parse_parameters(Reader& in, std::vector<Variable>& parameters) {
  std::vector<std::uint64_t> dimensions;
  if (!in.expect("(")) return false;
  while (!in.is(")")) {
    if (!parameters.empty() && !in.expect(",")) return false;
    Declaration declaration;
    if (!parse_declaration(in, declaration)) return false;
    if (declaration.space != Space::param && declaration.space != Space::reg)
      return in.fail("a parameter must be in .param or .reg space");
    Variable parameter;
    if (in.is(",") || in.is(")")) // a prototype may omit names
      parameter.bytes = bytes_of(declaration.type) * declaration.vector;
    else if (!parse_variable(in, declaration, parameter, dimensions))
      return false;
    parameters.push_back(std::move(parameter));
  }
  return in.expect(")");
}

} // namespace pegasus::ptx
