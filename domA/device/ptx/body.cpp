// SPDX-License-Identifier: Apache-2.0
#include "domA/device/ptx/body.h"

#include "domA/device/ptx/debug_directives.h"

#include <fmt/core.h>

namespace pegasus::ptx {

bool Body::parse() {
  if (!in_.is("{")) return in_.unexpected("'{'");
  blocks_.push_back({0, {}}); // the function's own block is the scope that Scopes starts with
  if (!declare_parameters()) return false;
  in_.advance();
  while (!blocks_.empty())
    if (!statement()) return false;
  return true;
}

// A .reg parameter gets a register even without a name: a call passes a value in any case.
bool Body::declare_parameters() {
  for (auto* list : {&function_.returns, &function_.parameters}) {
    for (Variable& variable : *list) {
      bool const has_name = !variable.name.empty() && variable.name != "_";
      Binding binding;
      if (variable.space == Space::reg) {
        variable.reg = static_cast<std::uint32_t>(function_.registers.size());
        binding = {Binding::Kind::reg, variable.type, 0, variable.reg, 1, {}};
        function_.registers.push_back({variable.name, Register::unnumbered, variable.type});
      } else if (has_name) {
        binding.name = variable.name;
        taken_.insert(variable.name);
      }
      if (!has_name) continue;
      if (!declare(variable.name, binding)) return false;
    }
  }
  return true;
}

bool Body::statement() {
  Token const first = in_.token();
  switch (first.kind) {
  case Token::Kind::dotted:
    return directive();
  case Token::Kind::identifier:
    in_.advance();
    return in_.accept(":") ? labelled(first.text, first.line) : instruction(first, Instruction{});
  case Token::Kind::punctuation:
    break;
  default:
    return in_.unexpected("an instruction or '}'");
  }
  if (first.text == "{") return open_block();
  if (first.text == "}") return close_block();
  if (first.text == "@") {
    in_.advance();
    if (in_.is("@")) { // @@DWARF ...: debug data of old compilers
      in_.skip_line();
      return !in_.failed();
    }
    Instruction guarded;
    if (!guard(guarded)) return false;
    Token const mnemonic = in_.token();
    if (!in_.is(Token::Kind::identifier)) return in_.unexpected("an instruction after its guard");
    in_.advance();
    return instruction(mnemonic, std::move(guarded));
  }
  return in_.accept(";") || in_.unexpected("an instruction or '}'"); // macros leave empty statements
}

bool Body::labelled(std::string_view name, std::uint32_t line) {
  if (in_.accept_dotted("branchtargets")) return label_list(name, true);
  if (in_.accept_dotted("calltargets")) return label_list(name, false);
  if (in_.accept_dotted("callprototype")) return prototype(name);
  auto const here = static_cast<std::uint32_t>(function_.instructions.size());
  if (!blocks_.back().labels.try_emplace(name, here).second)
    return in_.fail_at(line, fmt::format("the label {} is defined twice", quoted(name)));
  return in_.spend(1);
}

bool Body::open_block() {
  if (scopes_.depth() == Scopes::deepest)
    return in_.fail(fmt::format("blocks are nested more than {} deep", Scopes::deepest));
  scopes_.open();
  blocks_.push_back({pending_.size(), {}});
  in_.advance();
  return true;
}

// A closed block's registers and .param variables are reused: the next block with the same
// declaration gets them.
bool Body::close_block() {
  resolve(blocks_.back().first_pending);
  if (blocks_.size() == 1 && !pending_.empty())
    return in_.fail_at(pending_.front().line,
                       fmt::format("the label {} is not defined", quoted(pending_.front().name)));
  blocks_.pop_back();
  for (auto const& [name, binding] : scopes_.close()) {
    if (binding.kind == Binding::Kind::variable) {
      if (function_.variables[binding.index].space == Space::param)
        free_params_.insert_or_assign(name, binding.index);
    } else if (binding.kind != Binding::Kind::other) {
      free_registers_.insert_or_assign(name, binding);
    }
  }
  in_.advance();
  return !in_.failed();
}

// Resolves the labels that the closing block defines; the others belong to the enclosing block.
void Body::resolve(std::size_t first_pending) {
  auto const& labels = blocks_.back().labels;
  std::size_t kept = first_pending;
  for (std::size_t i = first_pending; i < pending_.size(); ++i) {
    Pending const use = pending_[i];
    auto const at = labels.find(use.name);
    if (at == labels.end())
      pending_[kept++] = use;
    else if (use.list)
      function_.label_lists[use.index].targets[use.entry] = at->second;
    else
      function_.instructions[use.index].operands[use.entry].target = at->second;
  }
  pending_.resize(kept);
}

bool Body::directive() {
  std::string_view const name = in_.token().text;
  if (debug_directive(name)) return skip_debug_directive(in_);
  return declaration();
}

} // namespace pegasus::ptx
