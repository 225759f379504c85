// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/texture.h"

#include "domA/device/software/exec/compile/rules/texture_operands.h"
#include "domA/device/software/exec/ops.h"

#include <utility>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

// What a form's destinations are.
struct Destinations {
  std::size_t count;
  std::uint32_t bytes;
};

Destinations destinations_of(TextureForm::Result result) {
  switch (result) {
  case TextureForm::Result::halves:
    return {4, 2};
  case TextureForm::Result::pairs:
    return {2, 4};
  default:
    return {4, 4};
  }
}

// .v4.f32, ....; the registers' kind is not that of the texture, which only the kernel's caller knows.
bool take_result(Words& words, TextureForm& form) {
  bool const two = words.take("v2");
  if (!two && !words.take("v4")) return false;
  std::string_view const type = words.take();
  if (two) form.result = TextureForm::Result::pairs;
  if (two) return type == "f16x2";
  if (type == "f16") form.result = TextureForm::Result::halves;
  return type == "f16" || type == "f32" || type == "u32" || type == "s32";
}

bool take_coordinates(Words& words, TextureForm& form) {
  form.integer_coordinates = words.take("s32");
  if (form.integer_coordinates) return !is_cube(form.geometry) && words.empty();
  return words.take("f32") && words.empty();
}

// d{|p}, [a, c] {, level or derivatives} {, e}: everything behind the name.
void lower_fetch(Lowering& l, Instruction const& i, TextureForm form) {
  Destinations const wanted = destinations_of(form.result);
  Operand const& d = l.operands.at(i, 0);
  if (d.kind != Operand::Kind::vector || d.elements.size() != wanted.count)
    return l.errors.invalid("the destination is not a vector of as many registers as the texture has values");
  Registers registers;
  for (Operand const& element : d.elements)
    registers.push_back(l.operands.destination_of_width(element, wanted.bytes));
  std::size_t next = i.second_destination ? 2 : 1;
  Type const type = form.integer_coordinates ? Type::s32 : Type::f32;
  std::uint32_t const handle =
      handle_and_place(l, i, l.operands.at(i, next++), form.geometry, type, registers);
  std::size_t const coordinates = coordinates_of(form.geometry);
  if (form.level == TextureForm::Level::given) registers.push_back(l.operands.source(i, next++, type));
  if (form.level == TextureForm::Level::from_gradients) {
    append_values(l, l.operands.at(i, next++), coordinates, Type::f32, registers);
    append_values(l, l.operands.at(i, next++), coordinates, Type::f32, registers);
  }
  if (next < i.operands.size() && i.operands[next].kind == Operand::Kind::vector) {
    if (is_cube(form.geometry)) return l.errors.invalid("a cubemap has no offsets");
    append_values(l, i.operands[next++], coordinates, Type::s32, registers);
    form.offset = true;
  }
  if (next < i.operands.size()) return l.errors.unsupported(i, "a comparison of depths");
  if (l.errors.failed()) return;
  // All texels are resident: CUDA's sparse arrays are not supported.
  std::uint32_t const resident = i.second_destination ? l.operands.destination(i, 1, Type::pred) : 0;
  Draft& draft = l.code.emit(op_texture, 0, handle);
  draft.op.imm = packed(form);
  draft.op.count = static_cast<std::uint8_t>(wanted.count);
  draft.extra = std::move(registers);
  draft.extra_defined = static_cast<std::uint32_t>(wanted.count);
  if (i.second_destination) l.code.emit("mov.pred", resident, l.registers.constant(0, 1));
}

} // namespace

// tex{.base|.level|.grad}.geom.v4.dtype.ctype
void lower_tex(Lowering& l, Instruction const& i, Modifiers const&) {
  Words words(i);
  TextureForm form;
  if (words.take("level"))
    form.level = TextureForm::Level::given;
  else if (words.take("grad"))
    form.level = TextureForm::Level::from_gradients;
  else
    static_cast<void>(words.take("base"));
  auto const geometry = words.take_geometry();
  if (!geometry) return l.errors.unsupported(i);
  form.geometry = *geometry;
  if (!take_result(words, form) || !take_coordinates(words, form)) return l.errors.unsupported(i);
  if (form.integer_coordinates && form.level == TextureForm::Level::from_gradients)
    return l.errors.unsupported(i, "derivatives of integers");
  lower_fetch(l, i, form);
}

// tld4.comp.geom.v4.dtype.f32
void lower_tld4(Lowering& l, Instruction const& i, Modifiers const&) {
  Words words(i);
  std::string_view const channel = words.take();
  std::size_t const number = std::string_view("rgba").find(channel);
  auto const geometry = words.take_geometry();
  if (channel.size() != 1 || number == std::string_view::npos || !geometry) return l.errors.unsupported(i);
  TextureForm form;
  form.geometry = *geometry;
  form.gathered = static_cast<std::uint8_t>(number);
  bool const plane = *geometry == Geometry::d2 || *geometry == Geometry::a2d || is_cube(*geometry);
  if (!plane || !take_result(words, form) || !take_coordinates(words, form) || form.integer_coordinates)
    return l.errors.unsupported(i);
  lower_fetch(l, i, form);
}

// txq{.level}.query.b32 d, [a]{, level}
void lower_txq(Lowering& l, Instruction const& i, Modifiers const&) {
  Words words(i);
  bool const level = words.take("level");
  auto const query = query_named(words.take());
  if (!query || *query == TextureQuery::memory_layout || !words.take("b32") || !words.empty())
    return l.errors.unsupported(i);
  std::uint32_t const handle = handle_in(l, i, l.operands.at(i, 1));
  std::uint32_t const of_level = level ? l.operands.source(i, 2, Type::b32) : 0;
  std::uint32_t const d = l.operands.destination(i, 0, Type::b32);
  l.code.emit(op_texture_query, d, handle, of_level).op.imm = static_cast<std::uint64_t>(*query);
}

} // namespace pegasus::software
