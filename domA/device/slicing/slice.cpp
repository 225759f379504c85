// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/slice.h"

#include "domA/device/ptx/parser.h"
#include "domA/device/ptx/reader.h"
#include "domA/device/slicing/eligibility.h"
#include "domA/device/slicing/prologue.h"
#include "domA/device/slicing/reach.h"
#include "domA/device/slicing/rewrite.h"

#include <algorithm>
#include <fmt/core.h>
#include <new>
#include <set>

namespace pegasus::slicing {
namespace {

using Kind = Statement::Kind;
using Names = std::set<std::string_view>;
template <class T> using Result = tl::expected<T, std::string>;

// Without `debug`, which requires debug data.
std::string target_of(Statement const& statement) {
  std::string text;
  for (std::string_view const name : statement.names)
    if (name != "debug") text += fmt::format("{}{}", text.empty() ? ".target " : ", ", name);
  return text + "\n";
}

// The kernel and what it needs, in the order of the text.
struct Needed {
  std::vector<Statement> statements;
  std::string text;
};

Result<Needed> needed(std::string_view text, std::string_view kernel) {
  auto statements = split(text);
  if (!statements) return tl::unexpected(statements.error());
  auto const wanted = reach(*statements, kernel);
  if (!wanted) return tl::unexpected(wanted.error());
  Needed found;
  for (std::size_t i = 0; i < statements->size(); ++i) {
    if (!(*wanted)[i]) continue;
    Statement& statement = (*statements)[i];
    if (!statement.cluster.empty())
      return tl::unexpected(fmt::format("its launches are in clusters ({})", ptx::quoted(statement.cluster)));
    found.text += statement.kind == Kind::target ? target_of(statement) : std::string(statement.text);
    found.text += '\n'; // a statement may end at the end of the text
    found.statements.push_back(std::move(statement));
  }
  if (found.text.find(reserved) != std::string::npos)
    return tl::unexpected(fmt::format("it uses names with {}, which slicing needs", ptx::quoted(reserved)));
  return found;
}

// The address of each variable in the module as loaded. `copied`: strings of the compiler that are not in it.
Result<Addresses> addresses_of(Variables const& variables, Resolve const& resolve, Names& copied) {
  Addresses addresses;
  for (auto const& [name, variable] : variables) {
    if (auto const address = resolve(name))
      addresses.emplace(name, *address);
    else if (compilers_string(*variable))
      copied.insert(name);
    else
      return tl::unexpected(fmt::format("the loaded module has no variable {}", ptx::quoted(name)));
  }
  return addresses;
}

// `kept`: keep the statements of these variables.
Result<std::string> compose(Needed const& from, std::string_view kernel, Addresses const& addresses,
                            Names const& kept) {
  std::string text;
  for (Statement const& statement : from.statements) {
    if (statement.kind == Kind::target) {
      text += target_of(statement);
    } else if (statement.kind == Kind::function || statement.kind == Kind::entry) {
      auto rewritten = rewrite(statement, statement.names.front() == kernel, addresses);
      if (!rewritten) return tl::unexpected(std::move(rewritten.error()));
      text += *rewritten;
    } else if (statement.kind != Kind::variable ||
               std::any_of(statement.names.begin(), statement.names.end(),
                           [&](std::string_view name) { return kept.contains(name); })) {
      text += statement.text;
    }
    text += '\n';
  }
  return text;
}

Result<Kernel> slice_text(std::string_view ptx_text, std::string_view kernel, Resolve const& resolve) {
  auto const from = needed(ptx_text, kernel);
  if (!from) return tl::unexpected(from.error());
  auto const module = ptx::parse(from->text);
  if (!module) return tl::unexpected(module.error().message);
  auto const variables = check_eligibility(*module, kernel);
  if (!variables) return tl::unexpected(variables.error());
  auto const entry = std::find_if(module->functions.begin(), module->functions.end(),
                                  [&](ptx::Function const& f) { return f.name == kernel && f.entry; });
  if (entry == module->functions.end()) return tl::unexpected(std::string("it is not a kernel"));
  auto const offset = piece_offset(*module, *entry);
  if (!offset) return tl::unexpected(offset.error());
  Names kept;
  auto const addresses = addresses_of(*variables, resolve, kept);
  if (!addresses) return tl::unexpected(addresses.error());
  for (ptx::Variable const& variable : module->variables)
    if (variable.space == ptx::Space::shared) kept.insert(variable.name);
  auto text = compose(*from, kernel, *addresses, kept);
  if (!text) return tl::unexpected(std::move(text.error()));
  return Kernel{std::move(*text), *offset};
}

} // namespace

Result<Kernel> slice(std::string_view ptx_text, std::string_view kernel, Resolve const& resolve) {
  if (ptx_text.size() > ptx::max_text)
    return tl::unexpected(
        fmt::format("a text of {} bytes: at most {} are read", ptx_text.size(), ptx::max_text));
  try {
    return slice_text(ptx_text, kernel, resolve);
  } catch (std::bad_alloc const&) {
    return tl::unexpected(std::string("there is not enough memory to rewrite it"));
  }
}

} // namespace pegasus::slicing
