// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/surface.h"

#include "domA/device/software/exec/compile/rules/texture_operands.h"
#include "domA/device/software/exec/ops.h"

#include <algorithm>
#include <span>
#include <utility>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

struct Transfer {
  SurfaceForm form;
  std::uint8_t count = 1; // values
};

std::optional<std::uint8_t> element_bytes(std::string_view type) {
  if (type == "b8") return 1;
  if (type == "b16") return 2;
  if (type == "b32") return 4;
  if (type == "b64") return 8;
  return std::nullopt;
}

bool take_beyond(Words& words, SurfaceForm& form) {
  if (words.take("clamp"))
    form.beyond = SurfaceForm::Beyond::clamp;
  else if (words.take("zero"))
    form.beyond = SurfaceForm::Beyond::zero;
  else
    return words.take("trap") && words.empty();
  return words.empty();
}

// .geom{.cop}{.vec}.type.clamp, behind .b or .p
std::optional<Transfer> transfer_named(Words& words) {
  Transfer t;
  auto const geometry = words.take_geometry();
  if (!geometry || is_cube(*geometry)) return std::nullopt;
  t.form.geometry = *geometry;
  for (std::string_view const hint : {"ca", "cg", "cs", "cv", "wb", "wt"}) // of caches
    if (words.take(hint)) break;
  if (words.take("v2"))
    t.count = 2;
  else if (words.take("v4"))
    t.count = 4;
  auto const bytes = element_bytes(words.take());
  if (!bytes || *bytes * t.count > 16 || !take_beyond(words, t.form)) return std::nullopt;
  t.form.element_bytes = *bytes;
  return t;
}

// The values of {a, b} or of a.
std::span<Operand const> values_of(Operand const& o) {
  return o.kind == Operand::Kind::vector ? std::span<Operand const>(o.elements) : std::span(&o, 1);
}

// All registers of a vector have the same width, at least the element's.
std::uint8_t register_bytes(Lowering const& l, std::span<Operand const> values, SurfaceForm const& form) {
  for (Operand const& o : values)
    if (std::uint32_t const r = l.registers.declared(o); r != 0)
      return static_cast<std::uint8_t>(l.registers.width(r));
  return std::max<std::uint8_t>(form.element_bytes, 2);
}

void lower_surface_transfer(Lowering& l, Instruction const& i, Transfer t, bool stores) {
  std::span<Operand const> const values = values_of(l.operands.at(i, stores ? 1 : 0));
  if (values.size() != t.count || i.operands.size() != 2)
    return l.errors.invalid("another number of values than the instruction's name says");
  t.form.register_bytes = register_bytes(l, values, t.form);
  if (t.form.register_bytes < t.form.element_bytes)
    return l.errors.invalid("a register that is narrower than what is in the surface");
  Registers registers;
  for (Operand const& o : values)
    registers.push_back(stores ? l.operands.source_of_width(o, t.form.register_bytes)
                               : l.operands.destination_of_width(o, t.form.register_bytes));
  std::uint32_t const handle =
      handle_and_place(l, i, l.operands.at(i, stores ? 0 : 1), t.form.geometry, Type::s32, registers);
  if (l.errors.failed()) return;
  Draft& draft = l.code.emit(stores ? op_surface_store : op_surface_load, 0, handle);
  draft.op.imm = packed(t.form);
  draft.op.count = t.count;
  draft.extra = std::move(registers);
  draft.extra_defined = stores ? 0 : t.count;
}

} // namespace

// suld.b.geom{.cop}{.vec}.dtype.clamp d, [a, b]
void lower_suld(Lowering& l, Instruction const& i, Modifiers const&) {
  Words words(i);
  if (!words.take("b")) return l.errors.unsupported(i);
  auto const transfer = transfer_named(words);
  if (!transfer) return l.errors.unsupported(i);
  lower_surface_transfer(l, i, *transfer, false);
}

// sust.b.geom{.cop}{.vec}.ctype.clamp [a, b], c; sust.p.geom{.vec}.b32.clamp [a, b], c
void lower_sust(Lowering& l, Instruction const& i, Modifiers const&) {
  Words words(i);
  bool const formatted = words.take("p");
  if (!formatted && !words.take("b")) return l.errors.unsupported(i);
  auto transfer = transfer_named(words);
  if (!transfer || (formatted && transfer->form.element_bytes != 4)) return l.errors.unsupported(i);
  transfer->form.formatted = formatted;
  lower_surface_transfer(l, i, *transfer, true);
}

// suq.query.b32 d, [a]
void lower_suq(Lowering& l, Instruction const& i, Modifiers const&) {
  Words words(i);
  auto const query = query_named(words.take());
  bool const known = query && (*query <= TextureQuery::channel_order || *query == TextureQuery::array_size ||
                               *query == TextureQuery::memory_layout);
  if (!known || !words.take("b32") || !words.empty()) return l.errors.unsupported(i);
  std::uint32_t const handle = handle_in(l, i, l.operands.at(i, 1));
  std::uint32_t const d = l.operands.destination(i, 0, Type::b32);
  l.code.emit(op_surface_query, d, handle).op.imm = static_cast<std::uint64_t>(*query);
}

} // namespace pegasus::software
