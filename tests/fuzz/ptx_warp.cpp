// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_warp.h"

namespace pegasus::fuzz {
namespace {

// Mostly under a guard that holds if the whole warp is here: otherwise the kernel ends.
void write_matrix_operation(PtxWriter& w) {
  std::string guard;
  if (!w.rarely()) {
    w.line("activemask.b32 %i3;\nsetp.eq.u32 %q, %i3, 0xffffffff;");
    guard = "@%q ";
  }
  unsigned const first = w.pick(count_of('r'));
  auto const vector = [&](char digit, unsigned at) {
    return register_vector(digit, first + at, count_of('r'));
  };
  // Rows may overlap: 32 of them must fit into the tile.
  std::string const stride = w.rarely() ? "" : fmt::format(", {}", w.rarely() ? w.take<std::uint32_t>() : 4);
  switch (w.pick(7)) {
  case 0: { // 32 rows of 16 bytes, or some elsewhere
    char const digit = "124"[w.pick(3)];
    w.line("mov.u32 %i0, tile;\nmov.u32 %i1, %laneid;\nmad.lo.u32 %i0, %i1, 16, %i0;");
    if (w.rarely()) w.line("add.u32 %i0, %i0, {};", w.reg('r'));
    return w.line("{}ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%i0];", guard, digit,
                  w.pick("  .trans"), vector(digit, 0));
  }
  case 1:
    return w.line("{}wmma.load.{}.sync.aligned.{}.{}.shared.{} {}, [tile+{}]{};", guard, w.pick("a b"),
                  w.pick("row col"), w.pick("m16n16k16 m32n8k16 m8n32k16"), "f16", vector('8', 0),
                  w.rarely() ? w.pick(256) : 0, stride);
  case 2:
    return w.line("{}wmma.store.d.sync.aligned.{}.m8n8k32.shared.s32 [tile+{}], {}{};", guard,
                  w.pick("row col"), w.rarely() ? w.pick(256) : 0, vector('2', 0), stride);
  case 3: {
    std::string const at = fmt::format("[tile+{}]{}", w.rarely() ? w.pick(256) : 0, stride);
    switch (w.pick(3)) {
    case 0:
      return w.line("{}wmma.load.{}.sync.aligned.{}.{}, {};", guard, w.pick("a b"), w.pick("row col"),
                    w.pick(2) != 0 ? "m16n16k16.shared.bf16 " + vector('4', 0)
                                   : "m16n16k8.shared.tf32 " + vector('4', 0),
                    at);
    case 1:
      return w.line("{}wmma.load.{}.sync.aligned.{}.m8n8k4.shared.f64 {{%d1}}, {};", guard, w.pick("a b"),
                    w.pick("row col"), at);
    default:
      return w.line("{}wmma.store.d.sync.aligned.{}.m8n8k4.shared.f64 [tile+{}], {{%d1, %d2}}{};", guard,
                    w.pick("row col"), w.rarely() ? w.pick(256) : 0, stride);
    }
  }
  default: {
    Form const& f = matrix_forms()[w.pick(static_cast<unsigned>(matrix_forms().size()))];
    std::string operands;
    for (std::size_t i = 0; i < f.operands.size(); ++i)
      operands +=
          (i == 0 ? "" : ", ") + (f.operands[i] == 'r' ? w.reg('r') : vector(f.operands[i], w.pick(8)));
    return w.line("{}{}.{} {};", guard, w.pick(f.names), w.pick(f.types), operands);
  }
  }
}

} // namespace

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
    if (unsigned const which = w.pick(4); which != 0)
      return which >= 2 && together ? write_matrix_operation(w) : w.line("{}bar.warp.sync {};", g, members);
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
