// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/barrier.h"

#include "domA/device/software/exec/compile/rules/emit_exchange.h"
#include "domA/device/software/exec/ops.h"

namespace pegasus::software {

using ptx::Instruction;
using ptx::Type;

// bar{.cta}.sync a{, b}; .arrive a, b; .red.popc.u32 d, a{, b}, {!}c; .red.op.pred p, a{, b}, {!}c;
// bar.warp.sync mask; barrier has the same forms, with .aligned.
void lower_barrier(Lowering& l, Instruction const& i, Modifiers const& m) {
  if (m.has("cluster")) return l.errors.unsupported(i);
  if (m.has("warp")) return emit_exchange(l, Exchange::warp_barrier, {}, &l.operands.at(i, 0));
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
    return l.errors.unsupported(i);
  std::uint32_t d = 0, c = 0;
  std::size_t first = 0, last = i.operands.size();
  if (reduction) {
    if (last < 3)
      return l.errors.invalid("a barrier with a reduction needs a destination, a number and a predicate");
    d = l.operands.destination(i.operands[0], kind == BarrierKind::red_popc ? Type::u32 : Type::pred);
    c = l.operands.source(i.operands[last - 1], Type::pred);
    first = 1;
    --last;
  }
  std::uint32_t const number = l.operands.source(i, first, Type::u32);
  std::uint32_t const threads = last > first + 1 ? l.operands.source(i, first + 1, Type::u32) : 0;
  if (kind == BarrierKind::arrive && threads == 0)
    return l.errors.invalid("bar.arrive needs a number of threads");
  l.code.emit(op_barrier, d, number, threads, c).op.barrier = kind;
  l.build.kernel.uses_barrier = true;
}

} // namespace pegasus::software
