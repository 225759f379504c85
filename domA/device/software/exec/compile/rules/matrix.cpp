// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/matrix.h"

#include "domA/device/software/exec/compile/rules/emit_exchange.h"
#include "domA/device/software/exec/compile/rules/matrix_words.h"
#include "domA/device/software/exec/ops.h"

#include <fmt/format.h>
#include <utility>

namespace pegasus::software {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

// The next op finds all lanes of the warp together, unless some have left the kernel or are at another instruction.
void emit_meeting(Lowering& l) {
  Operand everyone;
  everyone.kind = Operand::Kind::integer;
  everyone.bits = all_lanes;
  emit_exchange(l, Exchange::warp_barrier, {}, &everyone);
}

// Appends the registers of a vector operand. `wide`: they are of f64.
void append(Lowering& l, std::vector<std::uint32_t>& to, Operand const& o, std::size_t count, bool defines,
            bool wide) {
  if (o.kind != Operand::Kind::vector || o.elements.size() != count)
    return l.errors.invalid(fmt::format("an operand that is not a vector of {} registers", count));
  for (Operand const& element : o.elements)
    to.push_back(defines ? l.operands.destination(element, wide ? Type::b64 : Type::b32)
                         : l.operands.source(element, wide             ? Type::f64
                                                      : element.single ? Type::f32
                                                                       : Type::b32));
}

// D = A * B + C; `key` has the types.
struct Product {
  std::uint32_t shape;
  std::string key;
  bool half_d, half_c;
  std::uint64_t layouts = 0; // of m8n8k4 with f16
  Round round = Round::nearest;
};

void emit_product(Lowering& l, Instruction const& i, Product const& p) {
  MatrixShape const& s = matrix_shapes[p.shape];
  auto const accumulators = [&](bool half) -> std::size_t {
    if (p.shape == quads_shape) return half ? 4 : 8; // of four products
    return fragment_of(s, half ? Matrix::half : Matrix::word).registers;
  };
  std::size_t const defined = accumulators(p.half_d);
  if (!l.has(s.target, i)) return;
  if (i.operands.size() != 4) return l.errors.invalid("a product of matrices has four operands");
  bool const wide = s.element == Element::f64;
  std::vector<std::uint32_t> registers;
  append(l, registers, i.operands[0], defined, true, wide);
  append(l, registers, i.operands[1], s.a_registers, false, wide);
  append(l, registers, i.operands[2], s.b_registers, false, wide);
  append(l, registers, i.operands[3], accumulators(p.half_c), false, wide);
  if (l.errors.failed()) return;
  emit_meeting(l);
  Draft& draft = l.code.emit(p.key, 0);
  draft.op.shape = static_cast<std::uint8_t>(p.shape);
  draft.op.imm = p.layouts;
  draft.op.round = p.round;
  draft.extra = std::move(registers);
  draft.extra_defined = static_cast<std::uint32_t>(defined);
}

bool is_floating(std::string_view type) { return type == "f16" || type == "f32"; }

bool is_integer(Element e) { return e == Element::i8 || e == Element::i4 || e == Element::b1; }

// Integers and bits; the types are those of D, A, B, C. `how`: satfinite, xor.popc, and.popc or nothing.
void lower_integers(Lowering& l, Instruction const& i, MatrixWords const& w, std::string_view how,
                    bool wmma) {
  if (w.types.size() != 4 || w.types[0] != "s32" || w.types[3] != "s32" || !w.rounding.empty())
    return l.errors.unsupported(i);
  std::optional<Element> const a = element_named(w.types[1]), b = element_named(w.types[2]);
  if (!a || a != b || !is_integer(*a)) return l.errors.unsupported(i);
  if (wmma && w.types[1] != w.types[2]) return l.errors.unsupported(i);
  bool const any_layout = wmma && *a == Element::i8;
  auto const shape = shape_named(w.shape, *a, wmma);
  bool const fits =
      *a == Element::b1 ? how == "xor.popc" || how == "and.popc" : how.empty() || how == "satfinite";
  if (how == "and.popc" && !l.has(80, i)) return;
  if (!shape || !fits || w.layouts.size() != 2 || (!any_layout && !w.layouts_are("row", "col")))
    return l.errors.unsupported(i);
  std::string const key = fmt::format("mma.{}.{}{}{}", w.types[1], w.types[2], how.empty() ? "" : ".", how);
  emit_product(l, i, {*shape, key, false, false});
}

void lower_floats(Lowering& l, Instruction const& i, MatrixWords const& w, std::string_view d,
                  std::string_view c, bool wmma) {
  auto const shape = shape_named(w.shape, Element::f16, wmma);
  if (!shape || w.layouts.size() != 2 || !is_floating(d) || !is_floating(c) || !w.rounding.empty())
    return l.errors.unsupported(i);
  bool const quads = *shape == quads_shape;
  if (!wmma && !quads && !w.layouts_are("row", "col")) return l.errors.unsupported(i);
  if (!wmma && d != c && (!quads || d == "f16")) return l.errors.unsupported(i);
  std::uint64_t const layouts = (w.layouts[0] == "col" ? quads_a_column : std::uint64_t{0}) |
                                (w.layouts[1] == "row" ? quads_b_row : std::uint64_t{0});
  std::string const key = fmt::format("mma.{}{}.{}", quads ? "quads." : "", d, c);
  emit_product(l, i, {*shape, key, d == "f16", c == "f16", layouts});
}

// bf16, tf32 and f64, whose accumulators have one type; the types are those of D, A, B, C.
void lower_wide_floats(Lowering& l, Instruction const& i, MatrixWords const& w, bool wmma) {
  auto const element = element_named(w.types[1]);
  if (!element || is_integer(*element) || *element == Element::f16) return l.errors.unsupported(i);
  bool const is_double = *element == Element::f64;
  std::string_view const accumulator = is_double ? "f64" : "f32";
  auto const shape = shape_named(w.shape, *element, wmma);
  if (!shape || w.types[2] != w.types[1] || w.types[0] != accumulator || w.types[3] != accumulator ||
      w.layouts.size() != 2 || (!wmma && !w.layouts_are("row", "col")) || (!is_double && !w.rounding.empty()))
    return l.errors.unsupported(i);
  Round const round = w.rounding == "rz"   ? Round::zero
                      : w.rounding == "rm" ? Round::down
                      : w.rounding == "rp" ? Round::up
                                           : Round::nearest;
  emit_product(l, i, {*shape, fmt::format("mma.{}", w.types[1]), false, false, 0, round});
}

// Which matrix wmma.load.X or wmma.store.d means, and where it is among the shapes.
std::optional<std::pair<std::uint32_t, Matrix>> stored_matrix(MatrixWords const& w, char which) {
  if (w.types.size() != 1 || w.layouts.size() != 1 || !w.rounding.empty()) return std::nullopt;
  std::string_view const type = w.types[0];
  auto element = element_named(type);
  Matrix matrix = which == 'a' ? Matrix::a : which == 'b' ? Matrix::b : Matrix::half;
  if (matrix == Matrix::half) { // accumulators of any shape with such sums
    if (!is_floating(type) && type != "s32" && type != "f64") return std::nullopt;
    if (type != "f16") matrix = Matrix::word;
    element = type == "f64" ? Element::f64 : Element::f16;
    if (type == "s32")
      for (Element const e : {Element::i8, Element::i4, Element::b1})
        if (shape_named(w.shape, e, true)) element = e;
    if (type == "f32" && shape_named(w.shape, Element::tf32, true)) element = Element::tf32;
  }
  if (!element) return std::nullopt;
  auto const shape = shape_named(w.shape, *element, true);
  if (!shape || (type == "s32" && *element == Element::f16)) return std::nullopt;
  return std::pair(*shape, matrix);
}

void lower_transfer(Lowering& l, Instruction const& i, MatrixWords const& w, bool stores) {
  auto const stored = stored_matrix(w, w.others.back());
  if (!stored) return l.errors.unsupported(i);
  auto const [shape, matrix] = *stored;
  if (!l.has(matrix_shapes[shape].target, i)) return;
  Fragment const f = fragment_of(matrix_shapes[shape], matrix);
  bool const across = (w.layouts[0] == "row") == (matrix == Matrix::b);
  if (across && f.bits < 8) return l.errors.unsupported(i);
  if (i.operands.size() != 2 && i.operands.size() != 3)
    return l.errors.invalid("a matrix in memory has an address and, at most, a stride");
  std::vector<std::uint32_t> registers;
  append(l, registers, i.operands[stores ? 1 : 0], f.registers, !stores, f.bits == 64);
  MemoryPlace const at = l.addressing.place_of(i.operands[stores ? 0 : 1], w.space);
  std::uint32_t const stride = i.operands.size() == 3 ? l.operands.source(i.operands[2], Type::u32)
                                                      : l.registers.constant(4, across ? f.rows : f.columns);
  if (at.is_local() || at.window == Window::param) return l.errors.unsupported(i, "a matrix in this memory");
  if (l.errors.failed()) return;
  emit_meeting(l);
  std::uint32_t const bits = across || f.bits == 64 ? f.bits : 32;
  Draft& draft = l.code.emit(fmt::format("wmma.{}.u{}", stores ? "store" : "load", bits), 0, 0, stride);
  l.addressing.put(draft.op, at);
  draft.op.shape = static_cast<std::uint8_t>(matrix_number(shape, matrix));
  draft.op.transposed = across;
  draft.extra_defined = stores ? 0 : static_cast<std::uint32_t>(registers.size());
  draft.extra = std::move(registers);
}

} // namespace

// mma.sync.aligned.shape.alayout.blayout.dtype.f16.f16.ctype d, a, b, c;
// mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c; ....s32.b1.b1.s32.xor.popc
// mma.sync.aligned.shape.row.col.f32.bf16.bf16.f32, ....f32.tf32.tf32.f32, ...{.rn}.f64.f64.f64.f64
void lower_mma(Lowering& l, Instruction const& i, Modifiers const&) {
  auto const w = matrix_words(i);
  if (!w || w->types.size() != 4 || w->space != ptx::Space::none) return l.errors.unsupported(i);
  if (w->types[0] == "s32") return lower_integers(l, i, *w, w->others, false);
  if (!w->others.empty()) return l.errors.unsupported(i);
  if (w->types[1] != "f16") return lower_wide_floats(l, i, *w, false);
  if (w->types[2] != "f16") return l.errors.unsupported(i);
  lower_floats(l, i, *w, w->types[0], w->types[3], false);
}

// wmma.load.X.sync.aligned.layout.shape{.ss}.type r, [p]{, stride}; wmma.store.d... [p], r{, stride};
// wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype d, a, b, c; ....s32.atype.btype.s32{.satfinite}
// wmma.mma.xor.popc.sync.aligned.row.col.shape.s32.b1.b1.s32
void lower_wmma(Lowering& l, Instruction const& i, Modifiers const&) {
  auto const w = matrix_words(i);
  if (!w) return l.errors.unsupported(i);
  std::string_view const others = w->others;
  if (others == "load.a" || others == "load.b" || others == "load.c") return lower_transfer(l, i, *w, false);
  if (others == "store.d") return lower_transfer(l, i, *w, true);
  if (!others.starts_with("mma") || w->space != ptx::Space::none) return l.errors.unsupported(i);
  if (others == "mma" && w->types.size() == 2) return lower_floats(l, i, *w, w->types[0], w->types[1], true);
  if (w->types.size() != 4) return l.errors.unsupported(i);
  if (others == "mma" && w->types[0] != "s32") return lower_wide_floats(l, i, *w, true);
  lower_integers(l, i, *w, others.substr(others == "mma" ? 3 : 4), true);
}

// ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 r, [p];
void lower_ldmatrix(Lowering& l, Instruction const& i, Modifiers const&) {
  auto const w = matrix_words(i);
  bool const known = w && w->shape == "m8n8" && w->matrices != 0 && w->layouts.empty() &&
                     w->rounding.empty() && w->space != ptx::Space::global &&
                     w->types == std::vector<std::string_view>{"b16"} &&
                     (w->others.empty() || w->others == "trans");
  if (!known) return l.errors.unsupported(i);
  std::vector<std::uint32_t> registers;
  append(l, registers, l.operands.at(i, 0), w->matrices, true, false);
  MemoryPlace const at = l.addressing.place_of(l.operands.at(i, 1), w->space);
  if (at.is_local() || at.window == Window::param) return l.errors.unsupported(i, "a matrix in this memory");
  if (l.errors.failed()) return;
  emit_meeting(l);
  Draft& draft = l.code.emit(w->others.empty() ? "ldmatrix" : "ldmatrix.trans", 0);
  l.addressing.put(draft.op, at);
  draft.op.count = static_cast<std::uint8_t>(w->matrices);
  draft.extra_defined = w->matrices;
  draft.extra = std::move(registers);
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a;
void lower_movmatrix(Lowering& l, Instruction const& i, Modifiers const&) {
  auto const w = matrix_words(i);
  bool const known = w && w->shape == "m8n8" && w->matrices == 0 && w->layouts.empty() &&
                     w->rounding.empty() && w->space == ptx::Space::none &&
                     w->types == std::vector<std::string_view>{"b16"} && w->others == "trans";
  if (!known) return l.errors.unsupported(i);
  std::uint32_t const a = l.operands.source(i, 1, Type::b32);
  std::uint32_t const d = l.operands.destination(i, 0, Type::b32);
  emit_meeting(l);
  l.code.emit("movmatrix", d, a);
}

} // namespace pegasus::software
