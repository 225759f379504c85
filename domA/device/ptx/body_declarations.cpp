// SPDX-License-Identifier: Apache-2.0
// Registers, variables, label lists and prototypes declared in a function's body.
#include "domA/device/ptx/body.h"

#include "domA/device/ptx/types.h"

#include <fmt/core.h>

namespace pegasus::ptx {

bool Body::declare(std::string_view name, Binding binding) {
  return scopes_.declare(name, binding) || in_.fail(fmt::format("{} is declared twice", quoted(name)));
}

std::string_view Body::own_name(std::string_view name) {
  if (!module_names_(name) && taken_.insert(name).second) return name;
  names_.push_back(fmt::format("{}#{}", name, names_.size() + 1)); // no name in a text contains '#'
  taken_.insert(names_.back());
  return names_.back();
}

bool Body::declaration() {
  bool const external = in_.accept_dotted("extern");
  if (!in_.is(Token::Kind::dotted) || space_named(in_.token().text) == Space::none)
    return in_.unexpected("a declaration or an instruction");
  Declaration declaration;
  if (!parse_declaration(in_, declaration)) return false;
  return declaration.space == Space::reg ? registers(declaration) : variables(declaration, external);
}

bool Body::registers(Declaration const& declaration) {
  do {
    std::string_view name;
    if (!in_.identifier(name, "a register's name")) return false;
    Binding binding{Binding::Kind::reg, declaration.type, 0, 0, 1, {}};
    if (declaration.vector > 1) {
      binding.kind = Binding::Kind::vector;
      binding.count = declaration.vector;
    }
    if (in_.accept("<")) {
      std::uint64_t count = 0;
      if (!in_.plain_number(count, "the number of registers") || !in_.expect(">")) return false;
      if (binding.kind == Binding::Kind::vector)
        return in_.fail("a range of vector registers is not supported");
      if (count > max_registers)
        return in_.fail(fmt::format("{} registers in {}<...>: at most {} are supported", count, quoted(name),
                                    max_registers));
      binding.kind = Binding::Kind::range;
      binding.count = static_cast<std::uint32_t>(count);
    }
    if (!add_registers(declaration, binding, name)) return false;
  } while (in_.accept(","));
  return in_.expect(";");
}

bool Body::add_registers(Declaration const& declaration, Binding binding, std::string_view name) {
  if (auto const free = free_registers_.find(name);
      free != free_registers_.end() && free->second.kind == binding.kind &&
      free->second.type == binding.type && free->second.count == binding.count) {
    binding.index = free->second.index;
    free_registers_.erase(free);
    return declare(name, binding);
  }
  std::size_t const before = function_.registers.size();
  if (binding.count > max_registers - before)
    return in_.fail(fmt::format("a function has more than {} registers", max_registers));
  if (!in_.spend(binding.count / 2 + 1)) return false;
  binding.index = static_cast<std::uint32_t>(before);
  for (std::uint32_t i = 0; i < binding.count; ++i)
    function_.registers.push_back(
        {name, binding.kind == Binding::Kind::reg ? Register::unnumbered : i, declaration.type});
  return declare(name, binding);
}

bool Body::variables(Declaration const& declaration, bool external) {
  std::vector<std::uint64_t> dimensions;
  do {
    Variable variable;
    variable.external = external;
    if (!parse_variable(in_, declaration, variable, dimensions)) return false;
    if (in_.accept("=")) {
      if (variable.space != Space::global && variable.space != Space::constant)
        return in_.fail("only .global and .const variables can have an initial value");
      if (!parse_initializer(in_, variable, dimensions)) return false;
    }
    if (!add_variable(std::move(variable))) return false;
  } while (in_.accept(","));
  return in_.expect(";");
}

bool Body::add_variable(Variable variable) {
  std::string_view const name = variable.name;
  Binding binding{Binding::Kind::variable, variable.type, 0, 0, 1, {}};
  if (auto const free = free_params_.find(name);
      variable.space == Space::param && free != free_params_.end()) {
    Variable const& old = function_.variables[free->second];
    if (old.type == variable.type && old.vector == variable.vector && old.bytes == variable.bytes &&
        old.align == variable.align) {
      binding.index = free->second;
      free_params_.erase(free);
      return declare(name, binding);
    }
  }
  binding.index = static_cast<std::uint32_t>(function_.variables.size());
  variable.name = own_name(name);
  function_.variables.push_back(std::move(variable));
  return declare(name, binding);
}

// ts: .branchtargets L1, L2;
bool Body::label_list(std::string_view name, bool branches) {
  LabelList list;
  auto const index = static_cast<std::uint32_t>(function_.label_lists.size());
  do {
    std::uint32_t const line = in_.token().line;
    std::string_view entry;
    if (!in_.spend(1) || !in_.identifier(entry, branches ? "a label" : "a function's name")) return false;
    if (branches)
      pending_.push_back({entry, line, true, index, static_cast<std::uint32_t>(list.entries.size())});
    list.entries.push_back(entry);
  } while (in_.accept(","));
  list.targets.resize(branches ? list.entries.size() : 0);
  list.name = own_name(name);
  Binding binding;
  binding.name = list.name;
  function_.label_lists.push_back(std::move(list));
  return declare(name, binding) && in_.expect(";");
}

// prototype_0: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;
bool Body::prototype(std::string_view name) {
  Prototype prototype;
  if (!in_.spend(2) || (in_.is("(") && !parse_parameters(in_, prototype.returns))) return false;
  std::string_view ignored;
  if (!in_.identifier(ignored, "'_'") || (in_.is("(") && !parse_parameters(in_, prototype.parameters)))
    return false;
  while (!in_.is(";") && !in_.is(Token::Kind::end)) // .noreturn, .abi_preserve 8
    in_.advance();
  prototype.name = own_name(name);
  Binding binding;
  binding.name = prototype.name;
  function_.prototypes.push_back(std::move(prototype));
  return declare(name, binding) && in_.expect(";");
}

} // namespace pegasus::ptx
