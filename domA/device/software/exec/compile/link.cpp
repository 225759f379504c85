// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/link.h"

#include "domA/device/software/exec/memory/windows.h"

#include <cstring>
#include <fmt/format.h>

namespace pegasus::software {

namespace {

// The rank of a symbol's definition among the units.
enum class Claim { none, declared, common, weak, strong };

Claim claim_of(Symbol const& s) {
  if (s.function != nullptr) {
    ptx::Function const& f = *s.function;
    if (!f.defined) return Claim::declared;
    return f.weak ? Claim::weak : f.visible ? Claim::strong : Claim::none;
  }
  ptx::Variable const& v = *s.variable;
  if (v.external) return Claim::declared;
  if (v.common) return Claim::common;
  return v.weak ? Claim::weak : v.visible ? Claim::strong : Claim::none;
}

std::uint64_t size_of(Symbol const& s) { return s.variable != nullptr ? s.variable->bytes : 0; }

BuildError error(std::string message) { return {device::Status::invalid_ptx, std::move(message)}; }

bool is_placed(ptx::Variable const& v) {
  return !v.external && (v.space == ptx::Space::global || v.space == ptx::Space::constant);
}

} // namespace

// A strong definition wins over weak ones, the first weak one over all others, the largest common one over
// other common ones.
std::optional<BuildError> Linked::define(std::uint32_t unit, std::string_view name, Symbol symbol) {
  Claim const claim = claim_of(symbol);
  if (claim == Claim::none || claim == Claim::declared) return {};
  auto const [it, is_new] = global_.emplace(name, symbol);
  if (is_new) return {};
  Symbol& before = it->second;
  if ((before.function != nullptr) != (symbol.function != nullptr))
    return error(fmt::format("'{}' is a function in one unit and a variable in another", name));
  Claim const had = claim_of(before);
  if (claim == Claim::strong && had == Claim::strong)
    return error(fmt::format("'{}' is defined by unit {} and by unit {}; make one of them static or weak",
                             name, before.unit + 1, unit + 1));
  bool const larger = claim == Claim::common && had == Claim::common && size_of(symbol) > size_of(before);
  if (static_cast<int>(claim) > static_cast<int>(had) || larger) before = symbol;
  return {};
}

std::optional<BuildError> Linked::add_unit(std::uint32_t unit) {
  ptx::Module const& module = (*units_)[unit];
  Names& names = local_[unit];
  auto const add = [&](std::string_view name, Symbol const& symbol) {
    names.insert_or_assign(name, symbol);
    return define(unit, name, symbol);
  };
  for (ptx::Variable const& v : module.variables)
    if (auto bad = add(v.name, {unit, nullptr, &v})) return bad;
  for (ptx::Function const& f : module.functions) {
    if (f.defined) function_address_.emplace(&f, code_window + 16 * (function_address_.size() + 1));
    if (auto bad = add(f.name, {unit, &f, nullptr})) return bad;
  }
  for (ptx::Alias const& alias : module.aliases) {
    auto const target = names.find(alias.target);
    if (target == names.end() || target->second.function == nullptr)
      return error(fmt::format("line {}: alias '{}' of '{}', which is not a function", alias.line, alias.name,
                               alias.target));
    if (auto bad = add(alias.name, target->second)) return bad;
  }
  return {};
}

std::optional<BuildError> Linked::link(std::vector<ptx::Module> const& units) {
  units_ = &units;
  local_.resize(units.size());
  for (std::uint32_t i = 0; i < units.size(); ++i)
    if (auto bad = add_unit(i)) return bad;
  return {};
}

Symbol Linked::find(std::uint32_t unit, std::string_view name) const {
  auto const here = local_[unit].find(name);
  if (here == local_[unit].end()) return {};
  if (claim_of(here->second) == Claim::none) return here->second; // private to the unit
  auto const all = global_.find(name);
  return all == global_.end() ? here->second : all->second;
}

Symbol Linked::find_entry(std::string_view name) const {
  auto const is_entry = [](Symbol const& s) {
    return s.function != nullptr && s.function->entry && s.function->defined;
  };
  if (auto const it = global_.find(name); it != global_.end() && is_entry(it->second)) return it->second;
  for (Names const& names : local_)
    if (auto const it = names.find(name); it != names.end() && is_entry(it->second)) return it->second;
  return {};
}

Address Linked::address(ptx::Variable const* v) const {
  auto const it = placed_.find(v);
  return it == placed_.end() ? 0 : it->second.base;
}

Address Linked::address(ptx::Function const* f) const {
  auto const it = function_address_.find(f);
  return it == function_address_.end() ? 0 : it->second;
}

device::Range Linked::global(std::string_view name) const {
  auto const range_of = [this](Symbol const& s) {
    auto const it = placed_.find(s.variable);
    return it == placed_.end() ? device::Range{} : device::Range{it->second.base, s.variable->bytes};
  };
  if (auto const it = global_.find(name); it != global_.end() && it->second.variable != nullptr)
    return range_of(it->second);
  for (Names const& names : local_)
    if (auto const it = names.find(name); it != names.end() && it->second.variable != nullptr)
      if (device::Range const range = range_of(it->second); range.bytes != 0) return range;
  return {};
}

std::optional<BuildError> Linked::relocate(std::uint32_t unit, ptx::Variable const& v, Memory& memory) {
  std::byte* const to = memory.resolve(placed_.at(&v).base, v.bytes);
  for (ptx::Relocation const& r : v.relocations) {
    if (r.bytes > 8 || r.shift > 63 || r.offset > v.bytes || r.bytes > v.bytes - r.offset)
      return error(fmt::format("line {}: the initial value of '{}' runs past its end", v.line, v.name));
    Symbol const target = find(unit, r.symbol);
    Address address = 0;
    if (target.function != nullptr) {
      address = this->address(target.function);
      functions_in_data_.push_back(target);
    } else if (target.variable != nullptr) {
      address = this->address(target.variable);
    }
    if (address == 0)
      return BuildError{
          device::Status::shared_object_symbol_not_found,
          fmt::format("line {}: '{}' is initialised with the address of '{}', which no unit defines", v.line,
                      v.name, r.symbol)};
    std::uint64_t const value = (address + static_cast<std::uint64_t>(r.addend)) >> r.shift;
    std::memcpy(to + r.offset, &value, r.bytes);
  }
  return {};
}

std::optional<BuildError> Linked::place(Memory& memory) {
  for (std::uint32_t unit = 0; unit < units_->size(); ++unit) {
    for (ptx::Variable const& v : (*units_)[unit].variables) {
      if (!is_placed(v) || find(unit, v.name).variable != &v) continue;
      std::uint64_t const bytes = std::max<std::uint64_t>(v.bytes, 1);
      Address const base =
          v.managed && memory.has_host() ? memory.allocate_host(bytes) : memory.allocate(bytes);
      if (base == 0)
        return BuildError{device::Status::out_of_memory,
                          fmt::format("no device memory for variable '{}' of {} bytes", v.name, v.bytes)};
      placed_.emplace(&v, device::Range{base, v.bytes});
      if (!v.initial.empty())
        std::memcpy(memory.resolve(base, v.bytes), v.initial.data(),
                    std::min<std::size_t>(v.initial.size(), v.bytes));
    }
  }
  for (std::uint32_t unit = 0; unit < units_->size(); ++unit)
    for (ptx::Variable const& v : (*units_)[unit].variables)
      if (placed_.contains(&v) && !v.relocations.empty())
        if (auto bad = relocate(unit, v, memory)) return bad;
  return {};
}

void Linked::release(Memory& memory) {
  for (auto const& [variable, range] : placed_)
    static_cast<void>(memory.free(range.base));
  placed_.clear();
}

} // namespace pegasus::software
