// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/reach.h"

#include "domA/device/software/exec/device_limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace pegasus::software {

namespace {

class Walk {
public:
  Walk(Linked const& linked, Reach& reach) : linked_(linked), reach_(reach) {}
  std::optional<BuildError> run(Symbol const& entry);

private:
  void add(Symbol const& function);
  void scan(Scope const& in, ptx::Operand const&, bool is_callee);
  void scan(Symbol const& function);
  void add_addressed(Symbol const& function) {
    reach_.addressed.push_back(function);
    add(function);
  }

  Linked const& linked_;
  Reach& reach_;
  std::unordered_set<ptx::Function const*> seen_, addressed_;
  std::vector<ptx::Variable const*> shared_;
  std::uint32_t dynamic_align_ = 16;
};

void Walk::add(Symbol const& function) {
  if (function.function->defined && seen_.insert(function.function).second)
    reach_.functions.push_back(function);
}

void Walk::scan(Scope const& in, ptx::Operand const& operand, bool is_callee) {
  for (ptx::Operand const& element : operand.elements)
    scan(in, element, false);
  if (operand.kind == ptx::Operand::Kind::special && operand.symbol.starts_with("%reserved_smem_offset"))
    reach_.uses_reserved_shared = true;
  if (operand.kind != ptx::Operand::Kind::symbol && operand.kind != ptx::Operand::Kind::address) return;
  if (operand.symbol.empty() || operand.reg_base) return;
  Symbol const symbol = in.find(operand.symbol);
  if (symbol.function != nullptr) {
    if (is_callee)
      add(symbol);
    else if (addressed_.insert(symbol.function).second)
      add_addressed(symbol);
  } else if (symbol.variable != nullptr && symbol.variable->space == ptx::Space::shared) {
    if (symbol.variable->external || symbol.variable->bytes == 0)
      dynamic_align_ = std::max(dynamic_align_, symbol.variable->align);
    else
      shared_.push_back(symbol.variable);
  }
}

void Walk::scan(Symbol const& function) {
  Scope const scope(linked_, function);
  for (ptx::Instruction const& i : function.function->instructions) {
    bool const call = i.mnemonic == "call";
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      scan(scope, i.operands[k], call && i.operands[k].kind == ptx::Operand::Kind::symbol);
      if (call && i.operands[k].kind == ptx::Operand::Kind::reg) reach_.calls_indirectly = true;
    }
  }
}

std::optional<BuildError> Walk::run(Symbol const& entry) {
  add(entry);
  bool data_added = false;
  for (std::size_t i = 0; i < reach_.functions.size(); ++i) {
    scan(Symbol(reach_.functions[i]));
    if (!reach_.calls_indirectly || data_added || i + 1 < reach_.functions.size()) continue;
    data_added = true;
    for (Symbol const& f : linked_.functions_in_data())
      if (addressed_.insert(f.function).second) add_addressed(f);
  }
  std::uint64_t offset = 0;
  for (ptx::Variable const* v : shared_) {
    if (reach_.shared.contains(v)) continue;
    std::uint64_t const align = std::max(v->align, 1u);
    offset = (offset + align - 1) / align * align;
    reach_.shared.emplace(v, static_cast<std::uint32_t>(offset));
    offset += v->bytes;
    if (v->bytes > shared_per_block || offset > shared_per_block)
      return BuildError{
          device::Status::invalid_ptx,
          fmt::format("entry '{}' uses more than {} bytes of static shared memory; use dynamic shared "
                      "memory (extern __shared__) for more",
                      entry.function->name, shared_per_block)};
  }
  dynamic_align_ = std::min(dynamic_align_, 256u);
  reach_.static_shared_bytes = static_cast<std::uint32_t>(offset);
  reach_.dynamic_shared_offset =
      static_cast<std::uint32_t>((offset + dynamic_align_ - 1) / dynamic_align_ * dynamic_align_);
  return {};
}

} // namespace

Scope::Scope(Linked const& linked, Symbol const& function) : linked_(linked), unit_(function.unit) {
  ptx::Function const& f = *function.function;
  for (auto const* list : {&f.variables, &f.parameters, &f.returns})
    for (ptx::Variable const& v : *list)
      own_.emplace(v.name, &v);
}

Symbol Scope::find(std::string_view name) const {
  auto const it = own_.find(name);
  if (it != own_.end()) return {unit_, nullptr, it->second};
  return linked_.find(unit_, name);
}

std::optional<BuildError> reach_from(Linked const& linked, Symbol const& entry, Reach& reach) {
  return Walk(linked, reach).run(entry);
}

} // namespace pegasus::software
