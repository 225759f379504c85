// SPDX-License-Identifier: Apache-2.0
// The op of an exchange among the lanes of a warp, which waits until all its members have arrived.
#pragma once

#include "domA/device/software/exec/compile/lowering.h"

namespace pegasus::software {

struct ExchangeRegisters {
  std::uint32_t d = 0, d2 = 0; // results; d2: a predicate, 0 if it is not wanted
  std::uint32_t a = 0, b = 0, c = 0;
};

// `members`: the mask of the lanes that take part; nullptr: without .sync (before PTX 6.0) the
// present lanes do.
void emit_exchange(Lowering&, Exchange, ExchangeRegisters const&, ptx::Operand const* members);

} // namespace pegasus::software
