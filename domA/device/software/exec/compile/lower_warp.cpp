// SPDX-License-Identifier: Apache-2.0
// Barriers and exchanges: PTX ISA 9.7.9.6, 9.7.13.
#include "domA/device/software/exec/compile/lower.h"

#include "domA/device/software/exec/ops.h"

#include <fmt/format.h>

namespace pegasus::software {

using ptx::Type;

// Without .sync (before PTX 6.0) whoever is there takes part.
void Lowering::exchange(Instruction const&, Exchange kind, std::uint32_t d, std::uint32_t d2, std::uint32_t a,
                        std::uint32_t b, std::uint32_t c, Operand const* members) {
  std::uint32_t const mask = members != nullptr ? source(*members, Type::b32) : 0;
  char const* const shuffle = kind == Exchange::shfl_up     ? "shfl.up"
                              : kind == Exchange::shfl_down ? "shfl.down"
                              : kind == Exchange::shfl_bfly ? "shfl.bfly"
                              : kind == Exchange::shfl_idx  ? "shfl.idx"
                                                            : nullptr;
  Draft& draft = shuffle != nullptr ? emit(shuffle, d, a, b, c) : emit(op_exchange, d, a, b, c);
  draft.op.d2 = d2;
  draft.op.e = mask;
  draft.op.exchange = kind;
  draft.op.implicit_members = members == nullptr;
  draft.op.discard = d2 == 0;
}

void Lowering::shfl(Instruction const& i, Modifiers const& m) {
  Exchange const kind = m.has("up")     ? Exchange::shfl_up
                        : m.has("down") ? Exchange::shfl_down
                        : m.has("bfly") ? Exchange::shfl_bfly
                        : m.has("idx")  ? Exchange::shfl_idx
                                        : Exchange::none;
  if (kind == Exchange::none || width_of(m.type()) != 4) return unsupported(i);
  std::size_t const first = i.second_destination ? 2 : 1;
  std::uint32_t const a = source(operand(i, first), Type::b32), b = source(operand(i, first + 1), Type::b32);
  std::uint32_t const c = source(operand(i, first + 2), Type::b32);
  std::uint32_t const d2 = i.second_destination ? destination(operand(i, 1), Type::pred) : 0;
  exchange(i, kind, destination(operand(i, 0), Type::b32), d2, a, b, c,
           m.has("sync") ? &operand(i, first + 3) : nullptr);
}

void Lowering::vote(Instruction const& i, Modifiers const& m) {
  Exchange const kind = m.has("all")      ? Exchange::vote_all
                        : m.has("any")    ? Exchange::vote_any
                        : m.has("uni")    ? Exchange::vote_uni
                        : m.has("ballot") ? Exchange::vote_ballot
                                          : Exchange::none;
  if (kind == Exchange::none) return unsupported(i);
  std::uint32_t const a = source(operand(i, 1), Type::pred);
  std::uint32_t const d = destination(operand(i, 0), kind == Exchange::vote_ballot ? Type::b32 : Type::pred);
  exchange(i, kind, d, 0, a, 0, 0, m.has("sync") ? &operand(i, 2) : nullptr);
}

void Lowering::match(Instruction const& i, Modifiers const& m) {
  bool const wide = width_of(m.type()) == 8;
  bool const all = m.has("all");
  if (!m.has("sync") || (!all && !m.has("any")) || width_of(m.type()) < 4) return unsupported(i);
  Exchange const kind = all ? (wide ? Exchange::match_all64 : Exchange::match_all32)
                            : (wide ? Exchange::match_any64 : Exchange::match_any32);
  std::size_t const first = i.second_destination ? 2 : 1;
  std::uint32_t const a = source(operand(i, first), m.type());
  std::uint32_t const d2 = i.second_destination ? destination(operand(i, 1), Type::pred) : 0;
  exchange(i, kind, destination(operand(i, 0), Type::b32), d2, a, 0, 0, &operand(i, first + 1));
}

void Lowering::redux(Instruction const& i, Modifiers const& m) {
  bool const by_sign = is_signed(m.type());
  Exchange const kind = m.has("add")   ? Exchange::redux_add
                        : m.has("min") ? (by_sign ? Exchange::redux_min_s32 : Exchange::redux_min_u32)
                        : m.has("max") ? (by_sign ? Exchange::redux_max_s32 : Exchange::redux_max_u32)
                        : m.has("and") ? Exchange::redux_and
                        : m.has("or")  ? Exchange::redux_or
                        : m.has("xor") ? Exchange::redux_xor
                                       : Exchange::none;
  if (kind == Exchange::none || !m.has("sync") || is_float(m.type())) return unsupported(i);
  std::uint32_t const a = source(operand(i, 1), Type::b32);
  exchange(i, kind, destination(operand(i, 0), Type::b32), 0, a, 0, 0, &operand(i, 2));
}

void Lowering::activemask(Instruction const& i, Modifiers const&) {
  emit(op_active_mask, destination(operand(i, 0), Type::b32));
}

void Lowering::nanosleep(Instruction const& i, Modifiers const&) {
  static_cast<void>(source(operand(i, 0), Type::u32));
  emit(op_nanosleep, 0);
}

// bar{.cta}.sync a{, b}; .arrive a, b; .red.popc.u32 d, a{, b}, {!}c; .red.op.pred p, a{, b}, {!}c;
// bar.warp.sync mask; barrier has the same forms, with .aligned.
void Lowering::barrier(Instruction const& i, Modifiers const& m) {
  if (m.has("cluster")) return unsupported(i);
  if (m.has("warp")) return exchange(i, Exchange::warp_barrier, 0, 0, 0, 0, 0, &operand(i, 0));
  bool const reduction = m.has("red");
  BarrierKind kind = BarrierKind::sync;
  if (m.has("arrive"))
    kind = BarrierKind::arrive;
  else if (reduction && m.has("popc"))
    kind = BarrierKind::red_popc;
  else if (reduction && m.has("and"))
    kind = BarrierKind::red_and;
  else if (reduction && m.has("or"))
    kind = BarrierKind::red_or;
  else if (!m.has("sync"))
    return unsupported(i);
  std::uint32_t d = 0, c = 0;
  std::size_t first = 0, last = i.operands.size();
  if (reduction) {
    if (last < 3) return invalid("a barrier with a reduction needs a destination, a number and a predicate");
    d = destination(i.operands[0], kind == BarrierKind::red_popc ? Type::u32 : Type::pred);
    c = source(i.operands[last - 1], Type::pred);
    first = 1;
    --last;
  }
  std::uint32_t const number = source(operand(i, first), Type::u32);
  std::uint32_t const threads = last > first + 1 ? source(operand(i, first + 1), Type::u32) : 0;
  if (kind == BarrierKind::arrive && threads == 0) return invalid("bar.arrive needs a number of threads");
  emit(op_barrier, d, number, threads, c).op.barrier = kind;
  build_.kernel.uses_barrier = true;
}

} // namespace pegasus::software
