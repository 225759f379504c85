// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/eligibility.h"

#include "domA/device/ptx/reader.h"
#include "domA/device/slicing/piece.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <set>

namespace pegasus::slicing {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::quoted;
using ptx::Variable;
using NameList = std::initializer_list<std::string_view>;

bool one_of(std::string_view name, NameList names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Special registers that describe the thread, its block and the processor. PTX ISA 9.0, chapter 10.
bool about_the_block(std::string_view special) {
  return one_of(special, {"%tid",
                          "%ntid",
                          "%laneid",
                          "%warpid",
                          "%nwarpid",
                          "%smid",
                          "%nsmid",
                          "%lanemask_eq",
                          "%lanemask_le",
                          "%lanemask_lt",
                          "%lanemask_ge",
                          "%lanemask_gt",
                          "%clock",
                          "%clock_hi",
                          "%clock64",
                          "%globaltimer",
                          "%globaltimer_lo",
                          "%globaltimer_hi",
                          "%total_smem_size",
                          "%aggr_smem_size",
                          "%dynamic_smem_size"});
}

// External functions that every device provides; their state belongs to the context.
bool provided(std::string_view function) {
  return one_of(function, {"vprintf", "malloc", "free", "__assertfail"});
}

bool launches(std::string_view function) {
  return one_of(function.substr(0, 8), {"cudaCDP2", "cudaLaun", "cudaGetP"}) ||
         function.substr(0, 10) == "__cudaCDP2";
}

bool about_the_launch(Instruction const& i) {
  return one_of(i.mnemonic, {"griddepcontrol", "clusterlaunchcontrol", "mapa", "getctarank"}) ||
         (i.mnemonic == "barrier" && !i.modifiers.empty() && i.modifiers.front() == "cluster") ||
         std::any_of(i.modifiers.begin(), i.modifiers.end(), [](std::string_view modifier) {
           return one_of(modifier, {"multicast::cluster", "cta_group::2"});
         });
}

bool has_modifier(Instruction const& i, NameList names) {
  return std::any_of(i.modifiers.begin(), i.modifiers.end(),
                     [&](std::string_view modifier) { return one_of(modifier, names); });
}

class Eligibility {
public:
  Eligibility(ptx::Module const& module, std::string_view kernel) : kernel_(kernel) {
    for (Variable const& variable : module.variables)
      variables_.emplace(variable.name, &variable);
    for (Function const& function : module.functions)
      functions_.emplace(function.name, &function);
    for (ptx::Alias const& alias : module.aliases)
      if (auto const target = functions_.find(alias.target); target != functions_.end())
        aliases_.emplace(alias.name, target->second);
  }
  bool function(Function const&);

  Variables used;
  std::string why;

private:
  bool refuse(std::string reason) {
    why = in_ == kernel_ ? std::move(reason) : fmt::format("{} (in the function {})", reason, quoted(in_));
    return false;
  }
  bool instruction(Instruction const&);
  bool call(Instruction const&);
  bool operand(Instruction const&, Operand const&);
  bool special(Instruction const&, Operand const&);
  bool symbol(std::string_view name);

  std::string_view kernel_, in_;
  Variables variables_;
  std::map<std::string_view, Function const*> functions_, aliases_;
  std::set<std::string_view> own_; // names that the function declares
};

bool Eligibility::function(Function const& function) {
  in_ = function.name;
  own_.clear();
  for (auto const* list : {&function.variables, &function.parameters, &function.returns})
    for (Variable const& variable : *list)
      own_.insert(variable.name);
  for (ptx::LabelList const& list : function.label_lists)
    own_.insert(list.name);
  for (ptx::Prototype const& prototype : function.prototypes)
    own_.insert(prototype.name);
  for (Variable const& variable : function.variables)
    if (variable.space == ptx::Space::global || variable.space == ptx::Space::constant)
      return refuse(fmt::format("it declares the variable {} inside its code", quoted(variable.name)));
  return std::all_of(function.instructions.begin(), function.instructions.end(),
                     [this](Instruction const& i) { return instruction(i); });
}

bool Eligibility::instruction(Instruction const& i) {
  if (about_the_launch(i)) {
    std::string name(i.mnemonic);
    if (!i.modifiers.empty()) name += fmt::format(".{}", i.modifiers.front());
    return refuse(fmt::format("{} is about a cluster or the launch as a whole", quoted(name)));
  }
  if (i.mnemonic == "call" && !call(i)) return false;
  for (std::size_t k = 0; k < i.operands.size(); ++k)
    if (!(i.mnemonic == "call" && k == 1) && !operand(i, i.operands[k])) return false;
  return true;
}

bool Eligibility::call(Instruction const& i) {
  Operand const& callee = i.operands.at(1);
  if (callee.kind != Operand::Kind::symbol)
    return refuse("it calls through a pointer, which may lead to a function of the module as loaded");
  Function const* function = nullptr;
  if (auto const at = functions_.find(callee.symbol); at != functions_.end()) function = at->second;
  if (auto const at = aliases_.find(callee.symbol); at != aliases_.end()) function = at->second;
  if (launches(callee.symbol)) return refuse(fmt::format("it launches kernels ({})", quoted(callee.symbol)));
  if (function == nullptr || (!function->defined && !provided(callee.symbol)))
    return refuse(fmt::format("it calls {}, which is not in this text", quoted(callee.symbol)));
  return true;
}

// An operand's elements are nested at most two deep (an address with coordinates).
bool Eligibility::operand(Instruction const& i, Operand const& o) {
  for (Operand const& element : o.elements)
    if (!operand(i, element)) return false;
  if (o.kind == Operand::Kind::special) return special(i, o);
  bool const named = o.kind == Operand::Kind::symbol || (o.kind == Operand::Kind::address && !o.reg_base);
  return !named || o.symbol.empty() || symbol(o.symbol);
}

bool Eligibility::special(Instruction const& i, Operand const& o) {
  std::string_view const name = o.symbol.substr(0, o.symbol.find('.'));
  if (about_the_block(name)) return true;
  if (name != "%ctaid" && name != "%nctaid")
    return refuse(fmt::format("it reads {}, which may be about the launch as a whole", quoted(o.symbol)));
  if (in_ != kernel_)
    return refuse(fmt::format("it reads {}, and only a kernel is told its piece", quoted(o.symbol)));
  if (!one_of(o.symbol.substr(name.size()), {".x", ".y", ".z"}))
    return refuse(fmt::format("it reads {} as a vector", quoted(o.symbol)));
  if (i.mnemonic == "mov" && !has_modifier(i, {"u32", "s32", "b32"}))
    return refuse(fmt::format("it reads {} as a value that has not 32 bits", quoted(o.symbol)));
  return true;
}

bool Eligibility::symbol(std::string_view name) {
  if (own_.contains(name)) return true;
  if (functions_.contains(name) || aliases_.contains(name))
    return refuse(fmt::format("it takes the address of the function {}", quoted(name)));
  auto const at = variables_.find(name);
  if (at == variables_.end())
    return refuse(fmt::format("it uses {}, which is not in this text", quoted(name)));
  Variable const& variable = *at->second;
  if (variable.opaque) return refuse(fmt::format("it uses the texture, sampler or surface {}", quoted(name)));
  if (variable.space == ptx::Space::constant)
    return refuse(fmt::format("it uses the .const variable {}", quoted(name)));
  if (variable.space == ptx::Space::global) used.emplace(name, &variable);
  return true;
}

} // namespace

tl::expected<Variables, std::string> check_eligibility(ptx::Module const& module, std::string_view kernel) {
  if (module.address_bits != 64) return tl::unexpected(std::string("its addresses have 32 bits"));
  Eligibility check(module, kernel);
  for (Function const& function : module.functions)
    if (!check.function(function)) return tl::unexpected(std::move(check.why));
  return std::move(check.used);
}

tl::expected<std::uint32_t, std::string> piece_offset(ptx::Module const& module, Function const& kernel) {
  // PTX ISA 9.0, section 5.1.6.1, and the limit of drivers.
  std::uint64_t const limit = module.version >= 81 && module.target >= 70 ? 32764 : 4096;
  std::uint64_t end = 0; // below 2^62: variables have at most 2^40 bytes, and a text has at most 2^22 of them
  for (Variable const& parameter : kernel.parameters) {
    if (parameter.space != ptx::Space::param)
      return tl::unexpected(std::string("a parameter of it is not in .param space"));
    end = (end + parameter.align - 1) / parameter.align * parameter.align + parameter.bytes;
  }
  std::uint64_t const offset = (end + alignof(Piece) - 1) / alignof(Piece) * alignof(Piece);
  if (offset + sizeof(Piece) > limit)
    return tl::unexpected(
        fmt::format("it has {} bytes of parameters already, and may have {} at most", end, limit));
  return static_cast<std::uint32_t>(offset);
}

bool compilers_string(Variable const& variable) {
  bool const own_name = variable.name.substr(0, 4) == "$str" || variable.name.substr(0, 6) == "_$_str" ||
                        variable.name.substr(0, 10) == "__unnamed_";
  return own_name && variable.space == ptx::Space::global && variable.type == ptx::Type::b8 &&
         !variable.external && !variable.visible && !variable.weak && !variable.common && !variable.managed &&
         variable.relocations.empty();
}

} // namespace pegasus::slicing
