// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_odd.h"

namespace pegasus::fuzz {

void write_special(PtxWriter& w) {
  static constexpr std::string_view steady =
      "%tid.x %tid.y %tid.z %ntid.x %ntid.y %ntid.z %ctaid.x %ctaid.y %ctaid.z %nctaid.x %nctaid.y %nctaid.z "
      "%laneid %warpid %nwarpid %smid %nsmid %gridid %lanemask_eq %lanemask_lt %lanemask_le %lanemask_gt "
      "%lanemask_ge %dynamic_smem_size %total_smem_size %envreg0 %envreg1 %envreg2";
  switch (w.pick(8)) {
  case 0: // time is not part of the results
    w.line("mov.u32 %sink, {};", w.pick("%clock %clock_hi %globaltimer_lo %globaltimer_hi"));
    w.line("mov.u64 %wide_sink, {};", w.pick("%clock64 %globaltimer"));
    return;
  case 1:
    return w.line("{}mov.b64 {}, {{{}, {}}};", w.guard(), w.reg('d'), w.value('r'), w.value('r'));
  case 2:
    return w.line("{}mov.b64 {{{}, {}}}, {};", w.guard(), w.reg('r'), w.reg('r'), w.reg('d'));
  case 3:
    return w.line("{}mov.b32 {}, {{{}, {}}};", w.guard(), w.reg('r'), w.value('h'), w.value('h'));
  case 4:
    if (w.pick(2) != 0)
      return w.line("{}mov.b64 {}, {{{}, {}, {}, {}}};", w.guard(), w.reg('d'), w.value('h'), w.value('h'),
                    w.reg('h'), w.reg('h'));
    return w.line("{}mov.b64 {{{}, {}, {}, {}}}, {};", w.guard(), w.reg('h'), w.reg('h'), w.reg('h'),
                  w.reg('h'), w.reg('d'));
  case 5:
    return w.line("{}mov.u64 {}, {};", w.guard(), w.reg('d'),
                  w.pick("data table tile frame counters dynamic"));
  default:
    return w.line("{}mov.u32 {}, {};", w.guard(), w.reg('r'), w.pick(steady));
  }
}

void write_system_call(PtxWriter& w) {
  unsigned const n = w.number();
  switch (w.pick(6)) {
  case 0:
    w.line("{{\n.param .b64 f{0};\n.param .b64 a{0};\n.param .b32 back{0};\nst.local.b32 [frame], {1};", n,
           w.reg('r'));
    w.line("st.local.b64 [frame+8], {};\nmov.u64 %a0, words;\ncvta.global.u64 %a0, %a0;", w.reg('d'));
    w.line("st.local.b64 [frame+16], %a0;\nst.param.b64 [f{}], {};", n, w.rarely() ? w.reg('d') : "%a0");
    w.line("mov.u64 %a1, frame;\ncvta.local.u64 %a1, %a1;\nst.param.b64 [a{}], %a1;", n);
    return w.line("call (back{0}), vprintf, (f{0}, a{0});\nld.param.b32 {1}, [back{0}];\n}}", n, w.reg('r'));
  case 1:
    w.line("{{\n.param .b64 n{0};\n.param .b64 back{0};\nand.b64 %a0, {1}, {2};\nst.param.b64 [n{0}], %a0;",
           n, w.reg('d'), w.rarely() ? "-1" : "255");
    w.line("call (back{0}), malloc, (n{0});\nld.param.b64 %a1, [back{0}];\nsetp.eq.u64 %q, %a1, 0;", n);
    w.line("@!%q st.b8 [%a1], {};", w.reg('h'));
    if (w.pick(2) != 0)
      w.line("st.param.b64 [n{0}], {1};\ncall free, (n{0});", n, w.rarely() ? w.reg('d') : "%a1");
    return w.line("}}");
  case 2:
    return w.line("{}nanosleep.u32 {};", w.guard(), w.value('r'));
  case 3:
    return w.line("{}{};", w.guard(), w.pick("membar.gl membar.cta fence.acq_rel.gpu brkpt"));
  default:
    return write_special(w);
  }
}

// Writes what no compiler generates.
void write_hostile(PtxWriter& w, bool has_functions) {
  unsigned const n = w.number();
  switch (w.pick(12)) {
  case 11:
    w.line("{{\n.param .b64 m{0}, c{0};\n.param .b32 l{0};\nmov.u64 %a0, words;\ncvta.global.u64 %a0, %a0;",
           n);
    w.line("st.param.b64 [m{0}], %a0;\nst.param.b64 [c{0}], {1};\nst.param.b32 [l{0}], {2};", n, w.reg('d'),
           w.reg('r'));
    return w.line("@{0} call __assertfail, (m{1}, m{1}, l{1}, c{1}, c{1});\n}}", w.reg('p'), n);
  case 10: // a kernel is not a function
    return w.line("mov.u64 %a2, k;\n@{} call %a2, ();", w.reg('p'));
  case 0:
    w.line("{{\n.reg .b128 %wide{};", n);
    if (!has_functions || w.pick(2) != 0)
      w.line("mov.b128 %wide{}, {{{}, {}}};\n}}", n, w.reg('d'), w.reg('d'));
    else
      w.line("call (%wide{0}), f0, (%wide{0}, %wide{0});\n}}", n);
    return;
  case 1:
    return w.line("{{\n.param .align 16 .b8 big{0}[{1}];\nst.param.b64 [big{0}+{2}], {3};\n}}", n,
                  1 + 700 * w.pick(200), 8 * w.pick(200), w.reg('d'));
  case 2:
    return w.line("{}trap;", w.guard());
  case 3:
    return w.line("ld.global.v{}.u{} {{{}, {}}}, [%own];", 2 << w.pick(3), 8 << w.pick(5), w.reg('d'),
                  w.reg('d'));
  case 4:
    return w.line("{} {}, {}, {};",
                  w.pick("add.u32 mul.wide.u32 shl.b64 fma.rn.f64 setp.lt.s16 cvt.rn.f32.f64"),
                  w.reg("phrd"[w.pick(4)]), w.reg("phrd"[w.pick(4)]), w.reg("phrd"[w.pick(4)]));
  case 5:
    return w.line("ld.param.u64 {}, [{}];", w.reg('d'), w.reg('d'));
  case 6:
    return w.line("atom.{}.add.u32 {}, [{}], 1;", w.pick("local shared global const param"), w.reg('r'),
                  w.reg('d'));
  case 7:
    return w.line("st.{}.u32 [{}], {};", w.pick("const param local shared global"), w.reg("rd"[w.pick(2)]),
                  w.reg('r'));
  case 8:
    return w.line("{{\n.local .align 8 .b8 large{0}[{1}];\nst.local.u8 [large{0}+{1}-1], {2};\n}}", n,
                  1 + 64 * w.pick(255), w.reg('h'));
  default:
    return w.line("call ({}), {}, ({}, {});", w.reg("rd"[w.pick(2)]), w.pick("f0 f1 k vprintf missing data"),
                  w.reg('d'), w.value('r'));
  }
}

} // namespace pegasus::fuzz
