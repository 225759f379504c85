// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/rules/emit_exchange.h"

#include "domA/device/software/exec/ops.h"

namespace pegasus::software {
namespace {

// Shuffles are lane loops; nullptr for other exchanges.
char const* shuffle_key(Exchange kind) {
  switch (kind) {
  case Exchange::shfl_up:
    return "shfl.up";
  case Exchange::shfl_down:
    return "shfl.down";
  case Exchange::shfl_bfly:
    return "shfl.bfly";
  case Exchange::shfl_idx:
    return "shfl.idx";
  default:
    return nullptr;
  }
}

} // namespace

void emit_exchange(Lowering& l, Exchange kind, ExchangeRegisters const& r, ptx::Operand const* members) {
  std::uint32_t const mask = members != nullptr ? l.operands.source(*members, ptx::Type::b32) : 0;
  char const* const key = shuffle_key(kind);
  Op& op = key != nullptr ? l.code.emit(key, r.d, r.a, r.b, r.c).op
                          : l.code.emit(op_exchange, r.d, r.a, r.b, r.c).op;
  op.d2 = r.d2;
  op.e = mask;
  op.exchange = kind;
  op.implicit_members = members == nullptr;
  op.discard = r.d2 == 0;
}

} // namespace pegasus::software
