// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_warp.h"

namespace pegasus::fuzz {

void write_warp_operation(PtxWriter& w, bool together) {
  // Mostly the lanes that are here by now: the operation would wait for others.
  std::string members = "%i3";
  w.line("activemask.b32 %i3;");
  if (together && w.pick(2) != 0) members = "0xffffffff";
  if (w.rarely()) members = w.reg('r');
  std::string const g = w.rarely() ? w.guard() : "";
  switch (w.pick(6)) {
  case 0:
  case 1: {
    std::string const d = w.pick(2) != 0 ? w.reg('r') + "|" + w.reg('p') : w.reg('r');
    return w.line("{}shfl.sync.{}.b32 {}, {}, {}, {}, {};", g, w.pick("up down bfly idx"), d, w.reg('r'),
                  w.value('r'), w.pick(2) != 0 ? w.pick("0x1f 0 0x1c1f 0x181f 0x0f") : w.value('r'), members);
  }
  case 2:
    if (w.pick(2) != 0)
      return w.line("{}vote.sync.ballot.b32 {}, {}, {};", g, w.reg('r'), w.value('p'), members);
    return w.line("{}vote.sync.{}.pred {}, {}, {};", g, w.pick("all any uni"), w.reg('p'), w.value('p'),
                  members);
  case 3: {
    bool const wide = w.pick(2) != 0;
    std::string const a = w.value(wide ? 'd' : 'r');
    if (w.pick(2) != 0)
      return w.line("{}match.any.sync.b{} {}, {}, {};", g, wide ? 64 : 32, w.reg('r'), a, members);
    return w.line("{}match.all.sync.b{} {}|{}, {}, {};", g, wide ? 64 : 32, w.reg('r'), w.reg('p'), a,
                  members);
  }
  case 4:
    return w.line("{}redux.sync.{} {}, {}, {};", g,
                  w.pick("add.u32 add.s32 min.u32 min.s32 max.u32 max.s32 and.b32 or.b32 xor.b32"),
                  w.reg('r'), w.reg('r'), members);
  default:
    if (w.pick(4) != 0) return w.line("{}bar.warp.sync {};", g, members);
    return w.line("{}shfl.{}.b32 {}, {}, {}, {};", g, w.pick("up down bfly idx"), w.reg('r'), w.reg('r'),
                  w.value('r'), w.value('r'));
  }
}

void write_barrier(PtxWriter& w) {
  std::string const g = w.rarely() ? w.guard() : "";
  unsigned const number = w.rarely() ? w.pick(18) : w.pick(3);
  std::string const count = w.rarely() ? fmt::format(", {}", 32 * w.pick(4)) : "";
  switch (w.pick(5)) {
  case 0:
    return w.line("{}bar.red.popc.u32 {}, {}{}, {};", g, w.reg('r'), number, count, w.value('p'));
  case 1:
    return w.line("{}bar.red.{}.pred {}, {}{}, {};", g, w.pick("and or"), w.reg('p'), number, count,
                  w.value('p'));
  case 2:
    if (w.rarely()) return w.line("{}bar.arrive {}, {};", g, number, 32 * w.pick(4));
    [[fallthrough]];
  default:
    return w.line("{}{} {}{};", g, w.pick("bar.sync barrier.sync barrier.sync.aligned bar.cta.sync"), number,
                  count);
  }
}

} // namespace pegasus::fuzz
