// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/module_parser.h"

#include "domA/device/ptx/body.h"
#include "domA/device/ptx/debug_directives.h"
#include "domA/device/ptx/declaration.h"
#include "domA/device/ptx/function_directives.h"

#include <charconv>
#include <fmt/core.h>

namespace pegasus::ptx {

bool ModuleParser::parse() {
  if (!in_.is_dotted("version")) return in_.unexpected("'.version', with which PTX text begins");
  while (!in_.is(Token::Kind::end))
    if (!statement()) return false;
  if (!in_.failed() && module_.target == 0) return in_.fail("the text has no .target");
  return !in_.failed();
}

Module ModuleParser::take() {
  module_.names = std::make_shared<std::deque<std::string> const>(std::move(names_));
  return std::move(module_);
}

bool ModuleParser::statement() {
  if (in_.is(Token::Kind::dotted)) return directive(in_.token().text);
  if (in_.accept("@")) { // @@DWARF ...: debug data of old compilers
    if (!in_.is("@")) return in_.unexpected("a directive");
    in_.skip_line();
    return !in_.failed();
  }
  return in_.accept(";") || in_.unexpected("a directive");
}

bool ModuleParser::directive(std::string_view name) {
  if (debug_directive(name)) return skip_debug_directive(in_);
  if (in_.accept_dotted("version")) return version();
  if (in_.accept_dotted("target")) return target();
  if (in_.accept_dotted("address_size")) return address_size();
  if (in_.accept_dotted("alias")) return alias();
  Linkage found;
  if (!linkage(found)) return false;
  return in_.is_dotted("entry") || in_.is_dotted("func") ? function(found) : variables(found);
}

bool ModuleParser::version() {
  std::string_view const text = in_.token().text;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  char const* const end = text.data() + text.size();
  auto const first = std::from_chars(text.data(), end, major);
  bool good = in_.is(Token::Kind::number) && first.ec == std::errc{} && first.ptr != end && *first.ptr == '.';
  if (good) {
    auto const second = std::from_chars(first.ptr + 1, end, minor);
    good = second.ec == std::errc{} && second.ptr == end && major < 100 && minor < 10;
  }
  if (!good) return in_.unexpected("a version such as 9.0");
  module_.version = major * 10 + minor;
  in_.advance();
  return true;
}

// sm_75, sm_90a, sm_100f, debug, texmode_independent, ...
bool ModuleParser::target() {
  do {
    std::string_view name;
    if (!in_.identifier(name, "a target such as sm_75") || !target_name(name)) return false;
  } while (in_.accept(","));
  return true;
}

bool ModuleParser::target_name(std::string_view name) {
  if (name == "debug" || name == "texmode_unified" || name == "texmode_independent" ||
      name == "map_f64_to_f32")
    return true;
  if (name.substr(0, 3) != "sm_") return in_.fail(fmt::format("{} is not a target", quoted(name)));
  char const* const end = name.data() + name.size();
  auto const [rest, error] = std::from_chars(name.data() + 3, end, module_.target);
  bool const exact = end - rest == 1 && (*rest == 'a' || *rest == 'f');
  if (error != std::errc{} || (rest != end && !exact) || module_.target == 0 || module_.target > 9999)
    return in_.fail(fmt::format("{} is not a target", quoted(name)));
  module_.target_exact = exact;
  return true;
}

bool ModuleParser::address_size() {
  std::uint64_t bits = 0;
  if (!in_.plain_number(bits, "32 or 64")) return false;
  if (bits != 32 && bits != 64) return in_.fail("an address size must be 32 or 64");
  module_.address_bits = static_cast<std::uint32_t>(bits);
  return true;
}

bool ModuleParser::alias() {
  Alias alias;
  alias.line = in_.token().line;
  if (!in_.spend(1) || !in_.identifier(alias.name, "a function's name") || !in_.expect(",") ||
      !in_.identifier(alias.target, "a function's name") || !in_.expect(";"))
    return false;
  module_.aliases.push_back(alias);
  return true;
}

bool ModuleParser::linkage(Linkage& found) {
  for (;;) {
    if (in_.accept_dotted("extern"))
      found.external = true;
    else if (in_.accept_dotted("visible"))
      found.visible = true;
    else if (in_.accept_dotted("weak"))
      found.weak = true;
    else if (in_.accept_dotted("common"))
      found.common = true;
    else
      return in_.is(Token::Kind::dotted) || in_.unexpected("a variable or a function");
  }
}

bool ModuleParser::variables(Linkage linkage) {
  Declaration declaration;
  if (!parse_declaration(in_, declaration)) return false;
  if (declaration.space != Space::global && declaration.space != Space::constant &&
      declaration.space != Space::shared)
    return in_.fail("only .global, .const and .shared variables can stand outside of functions");
  std::vector<std::uint64_t> dimensions;
  do {
    Variable variable;
    if (!parse_variable(in_, declaration, variable, dimensions)) return false;
    variable.external = linkage.external;
    variable.visible = linkage.visible;
    variable.weak = linkage.weak;
    variable.common = linkage.common;
    if (in_.accept("=")) {
      bool const sampler = declaration.opaque && in_.accept("{"); // fields such as addr_mode_0 = wrap
      if (declaration.space == Space::shared)
        return in_.fail("a .shared variable cannot have an initial value");
      if (sampler ? !in_.skip_block() : !parse_initializer(in_, variable, dimensions)) return false;
    }
    if (!add_variable(std::move(variable))) return false;
  } while (in_.accept(","));
  return in_.expect(";");
}

bool ModuleParser::add_variable(Variable variable) {
  auto const [at, fresh] = known_.try_emplace(variable.name, Known{false, module_.variables.size()});
  if (fresh) {
    module_.variables.push_back(std::move(variable));
    return true;
  }
  if (at->second.function)
    return in_.fail_at(variable.line, fmt::format("{} is a function already", quoted(variable.name)));
  Variable& before = module_.variables[at->second.index];
  if (variable.external) return true;
  bool const larger = before.common && variable.common && variable.bytes > before.bytes;
  if (!before.external && !(before.common && variable.common))
    return in_.fail_at(variable.line, fmt::format("{} is defined twice", quoted(variable.name)));
  if (before.external || larger) before = std::move(variable);
  return true;
}

bool ModuleParser::function(Linkage linkage) {
  Function function;
  function.line = in_.token().line;
  function.entry = in_.is_dotted("entry");
  function.external = linkage.external;
  function.visible = linkage.visible;
  function.weak = linkage.weak;
  in_.advance();
  if (!in_.spend(8)) return false;
  if (!function.entry && in_.is("(") && !parse_parameters(in_, function.returns)) return false;
  if (!in_.identifier(function.name, "a function's name") ||
      (in_.is("(") && !parse_parameters(in_, function.parameters)) ||
      !parse_function_directives(in_, function))
    return false;
  function.defined = !in_.accept(";");
  std::size_t index = 0;
  if (!add_function(function, index)) return false;
  if (!function.defined) return true;
  function.external = false;
  if (!body(function)) return false;
  module_.functions[index] = std::move(function);
  return true;
}

bool ModuleParser::add_function(Function const& head, std::size_t& index) {
  auto const [at, fresh] = known_.try_emplace(head.name, Known{true, module_.functions.size()});
  if (fresh) {
    index = module_.functions.size();
    module_.functions.push_back(head);
    return true;
  }
  if (!at->second.function)
    return in_.fail_at(head.line, fmt::format("{} is a variable already", quoted(head.name)));
  index = at->second.index;
  Function& before = module_.functions[index];
  if (head.defined && before.defined)
    return in_.fail_at(head.line, fmt::format("{} is defined twice", quoted(head.name)));
  before.defined |= head.defined;
  return true;
}

bool ModuleParser::body(Function& function) {
  auto const known = [this](std::string_view name) { return element_bytes(name); };
  return Body(in_, function, known, names_).parse();
}

std::optional<std::uint32_t> ModuleParser::element_bytes(std::string_view name) const {
  auto const at = known_.find(name);
  if (at == known_.end()) return std::nullopt;
  if (at->second.function) return 0u;
  Variable const& variable = module_.variables[at->second.index];
  return bytes_of(variable.type) * variable.vector;
}

} // namespace pegasus::ptx
