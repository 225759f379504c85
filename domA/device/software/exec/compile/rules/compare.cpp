// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/compare.h"

#include <fmt/format.h>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Type;

// lo, ls, hi and hs are the old names of the unsigned orders.
std::string_view plain_order(std::string_view order) {
  if (order == "lo") return "lt";
  if (order == "ls") return "le";
  if (order == "hi") return "gt";
  if (order == "hs") return "ge";
  return order;
}

bool is_boolean(std::string_view word) { return word == "and" || word == "or" || word == "xor"; }

// operands[first] and the next; `half` is "lo." or "hi." of an f16x2.
std::uint32_t compare(Lowering& l, Instruction const& i, Modifiers const& m, Type type, std::size_t first,
                      std::string_view half) {
  if (m.words.empty()) {
    l.errors.unsupported(i);
    return 0;
  }
  std::string_view const order = plain_order(m.words[0]);
  bool const equality = order == "eq" || order == "ne";
  Type const by = equality && !is_float(type) ? bits_type(width_of(type)) : type;
  std::uint32_t const a = l.operands.source(i, first, type), b = l.operands.source(i, first + 1, type);
  std::string const key = fmt::format("setp.{}{}{}.{}", half, order, m.ftz ? ".ftz" : "", name_of(by));
  if (l.code.handler(key) == nullptr) {
    l.errors.unsupported(i);
    return 0;
  }
  std::uint32_t const truth = l.registers.fresh(0);
  l.code.emit(key, truth, a, b);
  return truth;
}

std::uint32_t combine(Lowering& l, Modifiers const& m, std::uint32_t truth, std::uint32_t with) {
  if (with == 0) return truth;
  std::uint32_t const result = l.registers.fresh(0);
  l.code.emit(fmt::format("{}.pred", m.words[1]), result, truth, with);
  return result;
}

} // namespace

void lower_setp(Lowering& l, Instruction const& i, Modifiers const& m) {
  std::size_t const first = i.second_destination ? 2 : 1;
  bool const combined = m.words.size() > 1;
  if (combined && !is_boolean(m.words[1])) return l.errors.unsupported(i);
  std::uint32_t const with = combined ? l.operands.source(i, first + 2, Type::pred) : 0;
  Type const type = m.type();
  std::uint32_t p = 0, q = 0;
  if (type == Type::f16x2) {
    p = combine(l, m, compare(l, i, m, type, first, "lo."), with);
    q = combine(l, m, compare(l, i, m, type, first, "hi."), with);
  } else {
    std::uint32_t const truth = compare(l, i, m, type, first, {});
    // The usual case: writes the destination directly.
    if (!combined && !i.second_destination && !l.errors.failed()) {
      l.code.last()->op.d = l.operands.destination(i, 0, Type::pred);
      return;
    }
    if (i.second_destination) {
      std::uint32_t const inverse = l.registers.fresh(0);
      l.code.emit("not.pred", inverse, truth);
      q = combine(l, m, inverse, with);
    }
    p = combine(l, m, truth, with);
  }
  l.code.emit("mov.pred", l.operands.destination(i, 0, Type::pred), p);
  if (i.second_destination) l.code.emit("mov.pred", l.operands.destination(i, 1, Type::pred), q);
}

void lower_set(Lowering& l, Instruction const& i, Modifiers const& m) {
  if (m.types.size() != 2 || (m.words.size() > 1 && !is_boolean(m.words[1]))) return l.errors.unsupported(i);
  Type const to = m.type(0), type = m.type(1);
  std::uint32_t const with = m.words.size() > 1 ? l.operands.source(i, 3, Type::pred) : 0;
  if (type == Type::f16x2) {
    bool const halves = to == Type::f16x2;
    std::uint32_t const low = l.registers.fresh(2), high = l.registers.fresh(2);
    l.code.emit("from_pred.b16", low, combine(l, m, compare(l, i, m, type, 1, "lo."), with)).op.imm =
        halves ? 0x3c00 : 0xffff;
    l.code.emit("from_pred.b16", high, combine(l, m, compare(l, i, m, type, 1, "hi."), with)).op.imm =
        halves ? 0x3c00 : 0xffff;
    l.code.emit("pack2.b32", l.operands.destination_of_width(l.operands.at(i, 0), 4), low, high);
    return;
  }
  std::uint32_t const truth = combine(l, m, compare(l, i, m, type, 1, {}), with);
  std::uint64_t const yes = to == Type::f32 ? 0x3f800000 : to == Type::f16 ? 0x3c00 : ~std::uint64_t{0};
  l.code
      .emit(fmt::format("from_pred.{}", name_of(bits_type(width_of(to)))), l.operands.destination(i, 0, to),
            truth)
      .op.imm = yes;
}

} // namespace pegasus::software
