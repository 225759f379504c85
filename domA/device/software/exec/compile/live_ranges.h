// SPDX-License-Identifier: Apache-2.0
// The part of the sequence of ops in which each virtual register must keep its value.
#pragma once

#include "domA/device/software/exec/compile/draft.h"

namespace pegasus::software {

// Op i reads at 2 * i and writes at 2 * i + 1. Inclusive; start > end: never used.
struct LiveRange {
  std::uint32_t start = 1, end = 0;
};

[[nodiscard]] std::vector<LiveRange> live_ranges(DraftFunction const&);

// Calls use(register) and define(register, kills) for the registers of an op, reads first.
template <class Use, class Define> void for_registers(Draft const& draft, Use&& use, Define&& define) {
  Op const& op = draft.op;
  for (std::uint32_t const r : {op.guard, op.a, op.b, op.c, op.e})
    if (r != 0) use(r);
  if (draft.d_is_source && op.d != 0) use(op.d);
  for (std::size_t k = draft.extra_defined; k < draft.extra.size(); ++k)
    use(draft.extra[k]);
  if (!draft.d_is_source && op.d != 0) define(op.d, !draft.merges);
  if (op.d2 != 0) define(op.d2, !draft.merges);
  for (std::size_t k = 0; k < draft.extra_defined; ++k)
    define(draft.extra[k], !draft.merges);
}

} // namespace pegasus::software
