// SPDX-License-Identifier: Apache-2.0
// setp and set, PTX ISA 9.7.6: a comparison, then the boolean combination with a predicate, then the result's
// form.
#include "domA/device/software/exec/compile/lower.h"

#include <fmt/format.h>

namespace pegasus::software {

namespace {

using ptx::Type;

// lo, ls, hi and hs are the unsigned orders by their old names.
std::string_view plain_order(std::string_view order) {
  if (order == "lo") return "lt";
  if (order == "ls") return "le";
  if (order == "hi") return "gt";
  if (order == "hs") return "ge";
  return order;
}

bool is_boolean(std::string_view word) { return word == "and" || word == "or" || word == "xor"; }

} // namespace

// operands[first] and the next; `half` is "lo." or "hi." of an f16x2.
std::uint32_t Lowering::compare(Instruction const& i, Modifiers const& m, Type type, std::size_t first,
                                std::string_view half) {
  if (m.words.empty()) {
    unsupported(i);
    return 0;
  }
  std::string_view const order = plain_order(m.words[0]);
  bool const equality = order == "eq" || order == "ne";
  Type const by = equality && !is_float(type) ? bits_type(width_of(type)) : type;
  std::uint32_t const a = source(operand(i, first), type), b = source(operand(i, first + 1), type);
  std::string const key = fmt::format("setp.{}{}{}.{}", half, order, m.ftz ? ".ftz" : "", name_of(by));
  if (find_handler(key, build_.isa) == nullptr) {
    unsupported(i);
    return 0;
  }
  std::uint32_t const truth = fresh(0);
  emit(key, truth, a, b);
  return truth;
}

std::uint32_t Lowering::combine(Modifiers const& m, std::uint32_t truth, std::uint32_t with) {
  if (with == 0) return truth;
  std::uint32_t const result = fresh(0);
  emit(fmt::format("{}.pred", m.words[1]), result, truth, with);
  return result;
}

void Lowering::setp(Instruction const& i, Modifiers const& m) {
  std::size_t const first = i.second_destination ? 2 : 1;
  bool const combined = m.words.size() > 1;
  if (combined && !is_boolean(m.words[1])) return unsupported(i);
  std::uint32_t const with = combined ? source(operand(i, first + 2), Type::pred) : 0;
  Type const type = m.type();
  std::uint32_t p = 0, q = 0;
  if (type == Type::f16x2) {
    p = combine(m, compare(i, m, type, first, "lo."), with);
    q = combine(m, compare(i, m, type, first, "hi."), with);
  } else {
    std::uint32_t const truth = compare(i, m, type, first, {});
    if (!combined && !i.second_destination && !error_) { // the usual case: straight into the destination
      draft_->ops.back().op.d = destination(operand(i, 0), Type::pred);
      return;
    }
    if (i.second_destination) {
      std::uint32_t const inverse = fresh(0);
      emit("not.pred", inverse, truth);
      q = combine(m, inverse, with);
    }
    p = combine(m, truth, with);
  }
  emit("mov.pred", destination(operand(i, 0), Type::pred), p);
  if (i.second_destination) emit("mov.pred", destination(operand(i, 1), Type::pred), q);
}

void Lowering::set(Instruction const& i, Modifiers const& m) {
  if (m.types.size() != 2 || (m.words.size() > 1 && !is_boolean(m.words[1]))) return unsupported(i);
  Type const to = m.type(0), type = m.type(1);
  std::uint32_t const with = m.words.size() > 1 ? source(operand(i, 3), Type::pred) : 0;
  if (type == Type::f16x2) {
    bool const halves = to == Type::f16x2;
    std::uint32_t const low = fresh(2), high = fresh(2);
    emit("from_pred.b16", low, combine(m, compare(i, m, type, 1, "lo."), with)).op.imm =
        halves ? 0x3c00 : 0xffff;
    emit("from_pred.b16", high, combine(m, compare(i, m, type, 1, "hi."), with)).op.imm =
        halves ? 0x3c00 : 0xffff;
    emit("pack2.b32", destination_of_width(operand(i, 0), 4), low, high);
    return;
  }
  std::uint32_t const truth = combine(m, compare(i, m, type, 1, {}), with);
  std::uint64_t const yes = to == Type::f32 ? 0x3f800000 : to == Type::f16 ? 0x3c00 : ~std::uint64_t{0};
  emit(fmt::format("from_pred.{}", name_of(bits_type(width_of(to)))), destination(operand(i, 0), to), truth)
      .op.imm = yes;
}

} // namespace pegasus::software
