// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/exchange.h"

#include "domA/device/software/exec/compile/rules/emit_exchange.h"
#include "domA/device/software/exec/ops.h"

namespace pegasus::software {

using ptx::Instruction;
using ptx::Type;

void lower_shfl(Lowering& l, Instruction const& i, Modifiers const& m) {
  Exchange const kind = m.has("up")     ? Exchange::shfl_up
                        : m.has("down") ? Exchange::shfl_down
                        : m.has("bfly") ? Exchange::shfl_bfly
                        : m.has("idx")  ? Exchange::shfl_idx
                                        : Exchange::none;
  if (kind == Exchange::none || width_of(m.type()) != 4) return l.errors.unsupported(i);
  std::size_t const first = i.second_destination ? 2 : 1;
  std::uint32_t const a = l.operands.source(i, first, Type::b32);
  std::uint32_t const b = l.operands.source(i, first + 1, Type::b32);
  std::uint32_t const c = l.operands.source(i, first + 2, Type::b32);
  std::uint32_t const d2 = i.second_destination ? l.operands.destination(i, 1, Type::pred) : 0;
  emit_exchange(l, kind, {.d = l.operands.destination(i, 0, Type::b32), .d2 = d2, .a = a, .b = b, .c = c},
                m.has("sync") ? &l.operands.at(i, first + 3) : nullptr);
}

void lower_vote(Lowering& l, Instruction const& i, Modifiers const& m) {
  Exchange const kind = m.has("all")      ? Exchange::vote_all
                        : m.has("any")    ? Exchange::vote_any
                        : m.has("uni")    ? Exchange::vote_uni
                        : m.has("ballot") ? Exchange::vote_ballot
                                          : Exchange::none;
  if (kind == Exchange::none) return l.errors.unsupported(i);
  std::uint32_t const a = l.operands.source(i, 1, Type::pred);
  std::uint32_t const d =
      l.operands.destination(i, 0, kind == Exchange::vote_ballot ? Type::b32 : Type::pred);
  emit_exchange(l, kind, {.d = d, .a = a}, m.has("sync") ? &l.operands.at(i, 2) : nullptr);
}

void lower_match(Lowering& l, Instruction const& i, Modifiers const& m) {
  bool const wide = width_of(m.type()) == 8;
  bool const all = m.has("all");
  if (!m.has("sync") || (!all && !m.has("any")) || width_of(m.type()) < 4) return l.errors.unsupported(i);
  Exchange const kind = all ? (wide ? Exchange::match_all64 : Exchange::match_all32)
                            : (wide ? Exchange::match_any64 : Exchange::match_any32);
  std::size_t const first = i.second_destination ? 2 : 1;
  std::uint32_t const a = l.operands.source(i, first, m.type());
  std::uint32_t const d2 = i.second_destination ? l.operands.destination(i, 1, Type::pred) : 0;
  emit_exchange(l, kind, {.d = l.operands.destination(i, 0, Type::b32), .d2 = d2, .a = a},
                &l.operands.at(i, first + 1));
}

void lower_redux(Lowering& l, Instruction const& i, Modifiers const& m) {
  bool const by_sign = is_signed(m.type());
  Exchange const kind = m.has("add")   ? Exchange::redux_add
                        : m.has("min") ? (by_sign ? Exchange::redux_min_s32 : Exchange::redux_min_u32)
                        : m.has("max") ? (by_sign ? Exchange::redux_max_s32 : Exchange::redux_max_u32)
                        : m.has("and") ? Exchange::redux_and
                        : m.has("or")  ? Exchange::redux_or
                        : m.has("xor") ? Exchange::redux_xor
                                       : Exchange::none;
  if (kind == Exchange::none || !m.has("sync") || is_float(m.type())) return l.errors.unsupported(i);
  std::uint32_t const a = l.operands.source(i, 1, Type::b32);
  emit_exchange(l, kind, {.d = l.operands.destination(i, 0, Type::b32), .a = a}, &l.operands.at(i, 2));
}

void lower_activemask(Lowering& l, Instruction const& i, Modifiers const&) {
  l.code.emit(op_active_mask, l.operands.destination(i, 0, Type::b32));
}

} // namespace pegasus::software
