// SPDX-License-Identifier: Apache-2.0
// Operands: registers, immediates, special registers, addresses of symbols.
#include "domA/device/software/exec/compile/lower.h"

#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/memory/windows.h"
#include "domA/device/software/exec/ops.h"

#include <array>
#include <bit>
#include <fmt/format.h>

namespace pegasus::software {

namespace {

// PTX ISA 10. %envreg1 and 2 hold the address of a cooperative launch's workspace.
constexpr std::pair<std::string_view, SpecialRegister> special_names[] = {
    {"%tid.x", SpecialRegister::tid_x},
    {"%tid.y", SpecialRegister::tid_y},
    {"%tid.z", SpecialRegister::tid_z},
    {"%ntid.x", SpecialRegister::ntid_x},
    {"%ntid.y", SpecialRegister::ntid_y},
    {"%ntid.z", SpecialRegister::ntid_z},
    {"%ctaid.x", SpecialRegister::ctaid_x},
    {"%ctaid.y", SpecialRegister::ctaid_y},
    {"%ctaid.z", SpecialRegister::ctaid_z},
    {"%nctaid.x", SpecialRegister::nctaid_x},
    {"%nctaid.y", SpecialRegister::nctaid_y},
    {"%nctaid.z", SpecialRegister::nctaid_z},
    {"%laneid", SpecialRegister::laneid},
    {"%warpid", SpecialRegister::warpid},
    {"%nwarpid", SpecialRegister::nwarpid},
    {"%smid", SpecialRegister::smid},
    {"%nsmid", SpecialRegister::nsmid},
    {"%gridid", SpecialRegister::gridid},
    {"%lanemask_eq", SpecialRegister::lanemask_eq},
    {"%lanemask_le", SpecialRegister::lanemask_le},
    {"%lanemask_lt", SpecialRegister::lanemask_lt},
    {"%lanemask_ge", SpecialRegister::lanemask_ge},
    {"%lanemask_gt", SpecialRegister::lanemask_gt},
    {"%clock", SpecialRegister::clock},
    {"%clock_hi", SpecialRegister::clock_hi},
    {"%clock64", SpecialRegister::clock64},
    {"%globaltimer", SpecialRegister::globaltimer},
    {"%globaltimer_lo", SpecialRegister::globaltimer_lo},
    {"%globaltimer_hi", SpecialRegister::globaltimer_hi},
    {"%dynamic_smem_size", SpecialRegister::dynamic_smem_size},
    {"%total_smem_size", SpecialRegister::total_smem_size},
    {"%aggr_smem_size", SpecialRegister::total_smem_size},
    {"%envreg0", SpecialRegister::zero},
    {"%envreg1", SpecialRegister::grid_workspace_hi},
    {"%envreg2", SpecialRegister::grid_workspace_lo},
};

} // namespace

std::uint32_t Lowering::fresh(std::uint32_t bytes) {
  VirtualRegister v;
  v.bytes = static_cast<std::uint8_t>(bytes);
  draft_->registers.push_back(v);
  return static_cast<std::uint32_t>(draft_->registers.size() - 1);
}

std::uint32_t Lowering::constant(std::uint32_t bytes, std::uint64_t bits) {
  if (bytes == 2) bits &= 0xffff;
  if (bytes == 4) bits &= 0xffffffff;
  if (bytes == 0) bits = bits != 0;
  auto const [it, is_new] = constants_.try_emplace({bytes, bits}, 0);
  if (is_new) {
    it->second = fresh(bytes);
    draft_->registers[it->second].constant = true;
    draft_->registers[it->second].bits = bits;
  }
  return it->second;
}

Draft& Lowering::emit(Handler fn, std::uint32_t d, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  Draft draft;
  draft.op.fn = fn;
  draft.op.d = d;
  draft.op.a = a;
  draft.op.b = b;
  draft.op.c = c;
  draft.op.line = line_;
  draft_->ops.push_back(std::move(draft));
  return draft_->ops.back();
}

Draft& Lowering::emit(std::string const& key, std::uint32_t d, std::uint32_t a, std::uint32_t b,
                      std::uint32_t c) {
  Handler const fn = find_handler(key, build_.isa);
  if (fn == nullptr)
    fail(device::Status::not_supported,
         fmt::format("the software accelerator does not know the operation '{}'", key));
  return emit(fn, d, a, b, c);
}

ptx::Operand const& Lowering::operand(Instruction const& i, std::size_t k) {
  static Operand const none{};
  if (k < i.operands.size()) return i.operands[k];
  invalid(fmt::format("'{}' has {} operands; it needs more", i.mnemonic, i.operands.size()));
  return none;
}

std::uint64_t Lowering::immediate(Operand const& o, Type type) {
  if (o.kind == Operand::Kind::integer) {
    if (type == Type::f32)
      return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(o.bits)));
    if (type == Type::f64)
      return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(o.bits)));
    return o.bits;
  }
  double const wide = o.single ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(o.bits)))
                               : std::bit_cast<double>(o.bits);
  switch (width_of(type)) {
  case 2:
    return half_of(static_cast<float>(wide));
  case 4:
    return o.single ? o.bits : std::bit_cast<std::uint32_t>(static_cast<float>(wide));
  default:
    return o.single ? std::bit_cast<std::uint64_t>(wide) : o.bits;
  }
}

std::uint32_t Lowering::special(Operand const& o, std::uint32_t bytes) {
  for (auto const& [name, which] : special_names) {
    if (name != o.symbol) continue;
    if (bytes == 2 && which <= SpecialRegister::nctaid_z) { // as PTX before 2.0 had them (PTX ISA 10)
      std::uint32_t const d = fresh(2);
      emit("cvt.u16.u32", d, special(o, 4));
      return d;
    }
    if (bytes != 4 && bytes != 8) break;
    std::uint32_t const d = fresh(bytes);
    emit(bytes == 4 ? op_special32 : op_special64, d).op.imm = static_cast<std::uint64_t>(which);
    return d;
  }
  fail(device::Status::not_supported,
       fmt::format("the software accelerator has no special register {} of {} bits", o.symbol, bytes * 8));
  return 0;
}

// The address of a symbol in its own state space; a parameter of the kernel is in a window of the generic
// space.
std::uint32_t Lowering::address_of(Operand const& o, std::uint32_t bytes) {
  if (bytes != 4 && bytes != 8) {
    invalid(fmt::format("the address of '{}' as a value of {} bits", o.symbol, bytes * 8));
    return 0;
  }
  auto const add = static_cast<std::uint64_t>(o.offset);
  Symbol const s = scope_.find(o.symbol);
  if (s.function != nullptr) {
    Address const at = build_.linked.address(s.function);
    if (at != 0) return constant(bytes, at + add);
  } else if (s.variable != nullptr) {
    if (auto const local = local_offset_.find(s.variable); local != local_offset_.end()) {
      std::uint32_t const d = fresh(bytes);
      emit(bytes == 4 ? op_local_address32 : op_local_address64, d).op.imm = local->second + add;
      return d;
    }
    if (auto const p = parameter_offset_.find(s.variable); p != parameter_offset_.end())
      return constant(bytes, param_window + p->second + add);
    if (s.variable->space == ptx::Space::shared) {
      auto const at = build_.reach.shared.find(s.variable);
      return constant(
          bytes, (at != build_.reach.shared.end() ? at->second : build_.reach.static_shared_bytes) + add);
    }
    if (Address const at = build_.linked.address(s.variable); at != 0) return constant(bytes, at + add);
  }
  invalid(fmt::format("no unit defines '{}'", o.symbol));
  return 0;
}

std::uint32_t Lowering::source_of_width(Operand const& o, std::uint32_t bytes) {
  return source(o, bits_type(bytes));
}

std::uint32_t Lowering::source(Operand const& o, Type type) {
  std::uint32_t const bytes = width_of(type);
  switch (o.kind) {
  case Operand::Kind::reg: {
    std::uint32_t const r = o.reg + 1;
    if (r >= draft_->registers.size() || register_width(r) != bytes) {
      invalid(fmt::format("a register of another size where {} is needed", name_of(type)));
      return 0;
    }
    if (bytes != 0 || !o.negated) return r;
    std::uint32_t const inverse = fresh(0);
    emit("not.pred", inverse, r);
    return inverse;
  }
  case Operand::Kind::integer:
  case Operand::Kind::real:
    return constant(bytes, immediate(o, type) ^ (bytes == 0 && o.negated ? 1 : 0));
  case Operand::Kind::special:
    return special(o, bytes);
  case Operand::Kind::symbol:
    return address_of(o, bytes);
  case Operand::Kind::address: // an array element as an operand of mov
    if (!o.reg_base && !o.symbol.empty()) return address_of(o, bytes);
    [[fallthrough]];
  default:
    invalid("an operand that is no value");
    return 0;
  }
}

std::uint32_t Lowering::source_loose(Operand const& o, Type type) {
  std::uint32_t const bytes = width_of(type);
  if (o.kind != Operand::Kind::reg || o.reg + 1 >= draft_->registers.size()) return source(o, type);
  std::uint32_t const have = register_width(o.reg + 1);
  if (have <= bytes) return source(o, type);
  std::uint32_t const cut = fresh(bytes);
  emit(fmt::format("narrow.{}.{}", have * 8, bytes * 8), cut, o.reg + 1);
  return cut;
}

std::uint32_t Lowering::destination(Operand const& o, Type type) {
  return destination_of_width(o, width_of(type));
}

std::uint32_t Lowering::destination_of_width(Operand const& o, std::uint32_t bytes) {
  if (o.kind == Operand::Kind::discard) return fresh(bytes);
  if (o.kind != Operand::Kind::reg || o.reg + 1 >= draft_->registers.size() ||
      register_width(o.reg + 1) != bytes) {
    invalid(fmt::format("the destination is no register of {} bits", bytes == 0 ? 1 : bytes * 8));
    return 0;
  }
  return o.reg + 1;
}

Lowering::Loose Lowering::destination_loose(Operand const& o, Type type) {
  std::uint32_t const bytes = width_of(type);
  if (o.kind == Operand::Kind::reg && o.reg + 1 < draft_->registers.size() &&
      register_width(o.reg + 1) > bytes)
    return {fresh(bytes), o.reg + 1};
  std::uint32_t const d = destination(o, type);
  return {d, d};
}

void Lowering::widen(Loose const& d, Type type) {
  if (d.natural == d.real) return;
  emit(fmt::format("widen.{}.{}.{}", is_signed(type) ? "s" : "u", width_of(type) * 8,
                   register_width(d.real) * 8),
       d.real, d.natural);
}

} // namespace pegasus::software
