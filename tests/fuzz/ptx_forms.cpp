// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/ptx_forms.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::fuzz {
namespace {

// In the order of PTX ISA 9.7. Some rows hold combinations that no instruction has, to test refusals too.
constexpr Form table[] = {
    {"add sub mul.lo mul.hi div rem min max", "u16 s16 u32 s32 u64 s64", "ttt"},
    {"mul.wide", "u16 s16 u32 s32", "wtt"},
    {"mad.wide", "u16 s16 u32 s32", "wttw"},
    {"mad.lo mad.hi sad", "u16 s16 u32 s32 u64 s64", "tttt"},
    {"mul24.lo mul24.hi", "u32 s32", "ttt"},
    {"mad24.lo mad24.hi", "u32 s32", "tttt"},
    {"add sub", "sat.s32", "ttt"},
    {"mad.hi mad24.hi", "sat.s32", "tttt"},
    {"abs neg", "s16 s32 s64 f16 f16x2 f32 f64 ftz.f32", "tt"},
    {"add.cc addc addc.cc sub.cc subc subc.cc", "u32 s32 u64 s64", "ttt"},
    {"mad.lo.cc madc.lo madc.lo.cc mad.hi.cc madc.hi madc.hi.cc", "u32 u64", "tttt"},
    {"popc clz", "b32 b64", "rt"},
    {"bfind bfind.shiftamt", "u32 s32 u64 s64", "rt"},
    {"brev", "b32 b64", "tt"},
    {"bfe", "u32 s32 u64 s64", "ttrr"},
    {"bfi", "b32 b64", "tttrr"},
    {"bmsk.clamp bmsk.wrap", "b32", "ttr"},
    {"szext.clamp szext.wrap", "u32 s32", "ttr"},
    {"dp4a.u32 dp4a.s32 dp2a.lo.u32 dp2a.hi.s32 dp2a.lo.s32", "u32 s32", "tttt"},
    {"vabsdiff2.u32.u32 vabsdiff4.s32.s32 vabsdiff2.s32.u32 vabsdiff4.u32.s32", "u32 s32 u32.add s32.add",
     "rrrr"},
    {"add sub mul",
     "f32 sat.f32 ftz.f32 rz.f32 rm.f32 rp.f32 ftz.sat.f32 rz.ftz.f32 f64 rz.f64 rm.f64 rp.f64", "ttt"},
    {"add sub mul", "f16 f16x2 sat.f16 sat.f16x2 ftz.f16 ftz.f16x2 rn.f16", "ttt"},
    {"fma",
     "rn.f32 rz.f32 rm.ftz.f32 rp.sat.f32 rn.f64 rz.f64 rp.f64 rn.f16 rn.f16x2 rn.sat.f16 rn.relu.f16x2",
     "tttt"},
    {"div", "rn.f32 rz.f32 approx.f32 full.f32 rn.ftz.f32 rp.f32 rn.f64 rm.f64", "ttt"},
    {"min max", "f32 ftz.f32 NaN.f32 f64 f16 f16x2 NaN.f16 NaN.f16x2 ftz.f16", "ttt"},
    {"sqrt rcp", "rn.f32 rz.f32 approx.f32 approx.ftz.f32 rn.f64 rp.f64", "tt"},
    {"rsqrt sin cos ex2 lg2 tanh", "approx.f32 approx.ftz.f32", "tt"},
    {"rsqrt", "approx.f64 approx.ftz.f64", "tt"},
    {"rcp", "approx.ftz.f64", "tt"},
    {"ex2 tanh", "approx.f16 approx.f16x2", "tt"},
    {"copysign", "f32 f64", "ttt"},
    {"testp.finite testp.infinite testp.number testp.notanumber testp.normal testp.subnormal", "f32 f64",
     "pt"},
    {"setp.eq setp.ne setp.lt setp.le setp.gt setp.ge", "u16 s16 u32 s32 u64 s64 f16 f32 f64 ftz.f32", "ptt"},
    {"setp.lo setp.ls setp.hi setp.hs", "u16 u32 u64", "ptt"},
    {"setp.eq setp.ne", "b16 b32 b64", "ptt"},
    {"setp.equ setp.neu setp.ltu setp.leu setp.gtu setp.geu setp.num setp.nan", "f16 f32 f64", "ptt"},
    {"setp.lt.and setp.eq.or setp.ge.xor", "s32 u64 f32 f64 f16", "pttp"},
    {"set.lt.u32 set.eq.s32 set.ge.f32", "s32 u64 f32 f64 f16", "rtt"},
    {"set.nan.f32 set.ge.ftz.f32", "f32", "rtt"},
    {"set.lt.and.u32 set.ne.xor.f32", "s32 f32", "rttp"},
    {"set.lt.f16 set.geu.u16", "f16", "htt"},
    {"set.lt.f16x2 set.eq.u32 set.nan.f16x2", "f16x2", "rtt"},
    {"setp.eq setp.lt setp.geu setp.nan", "f16x2", "|tt"},
    {"setp.gt.and setp.neu.xor", "f16x2", "|ttp"},
    {"selp", "b16 b32 b64 f32 f64 s16", "tttp"},
    {"slct", "b32.s32 f32.f32 u32.s32 ftz.f32.f32", "tttr"},
    {"slct", "b64.s32 f64.f32", "dddr"},
    {"slct", "b16.s32", "hhhr"},
    {"and or xor", "b16 b32 b64 pred", "ttt"},
    {"not", "b16 b32 b64 pred", "tt"},
    {"cnot", "b16 b32 b64", "tt"},
    {"shl", "b16 b32 b64", "ttr"},
    {"shr", "b16 b32 b64 u16 s16 u32 s32 u64 s64", "ttr"},
    {"shf.l.wrap shf.l.clamp shf.r.wrap shf.r.clamp", "b32", "tttr"},
    {"prmt", "b32 b32.f4e b32.b4e b32.rc8 b32.ecl b32.ecr b32.rc16", "rrrr"},
    {"lop3", "b32", "tttti"},
    {"mov", "b16 b32 b64 pred u16 f32 f64", "tt"},
    {"cvt", "u16.u16 s16.s16 u16.s16 sat.s16.u16 sat.u8.s16 s8.s16", "hh"},
    {"cvt", "u32.u32 s32.u32 sat.u32.s32 sat.s16.s32 sat.u8.s32 s8.s32 u16.u32", "rr"},
    {"cvt", "u64.u64 sat.s64.u64 sat.u64.s64 sat.s32.s64 u8.u64 sat.s8.s64", "dd"},
    {"cvt", "s32.s8 u32.u8 s32.s16 u32.u16 sat.u32.s16", "rh"},
    {"cvt", "s64.s8 u64.u16 s64.s16 sat.u64.s16", "dh"},
    {"cvt", "u16.u32 s16.s32 sat.s16.s32 sat.u8.u32", "hr"},
    {"cvt", "s64.s32 u64.u32 sat.u64.s32", "dr"},
    {"cvt", "u32.u64 s32.s64 sat.s32.s64 sat.u32.u64", "rd"},
    {"cvt", "rni.s32.f32 rzi.u32.f32 rmi.ftz.s32.f32 rpi.u32.f32 rzi.s16.f32 rni.u8.f32 rzi.ftz.sat.s8.f32",
     "rr"},
    {"cvt", "rni.s64.f32 rzi.u64.f32 rpi.ftz.s64.f32", "dr"},
    {"cvt", "rni.s32.f64 rzi.u32.f64 rmi.s32.f64 rzi.u8.f64", "rd"},
    {"cvt", "rni.s64.f64 rzi.u64.f64 rpi.s64.f64", "dd"},
    {"cvt", "rni.s32.f16 rzi.u32.f16 rmi.s32.f16", "rh"},
    {"cvt", "rzi.s16.f16 rni.u16.f16 rzi.u8.f16", "hh"},
    {"cvt", "rn.f32.s32 rz.f32.u32 rm.f32.s32 rp.sat.f32.u32 rn.f32.u8", "rr"},
    {"cvt", "rn.f32.s64 rz.f32.u64 rp.f32.u64", "rd"},
    {"cvt", "rn.f64.s32 rn.f64.u32 rn.sat.f64.u32", "dr"},
    {"cvt", "rn.f64.s64 rz.f64.u64 rm.f64.s64", "dd"},
    {"cvt", "rn.f16.s32 rz.f16.u32 rp.f16.s32 rn.f16.f32 rz.f16.f32 rn.sat.f16.f32 rm.ftz.f16.f32", "hr"},
    {"cvt", "rn.f16.s64 rn.f16.f64 rz.f16.f64 rn.sat.f16.f64", "hd"},
    {"cvt", "rn.f16.s16 rz.f16.u16 rn.f16.u8 rni.f16.f16", "hh"},
    {"cvt", "rn.f32.f64 rz.f32.f64 rm.ftz.f32.f64 rp.sat.f32.f64", "rd"},
    {"cvt", "f64.f32 ftz.f64.f32 sat.f64.f32", "dr"},
    {"cvt", "f32.f16 ftz.f32.f16 sat.f32.f16", "rh"},
    {"cvt", "f64.f16 sat.f64.f16", "dh"},
    {"cvt", "rni.f32.f32 rzi.ftz.f32.f32 rmi.sat.f32.f32 ftz.f32.f32 sat.f32.f32", "rr"},
    {"cvt", "rni.f64.f64 rpi.f64.f64 sat.f64.f64", "dd"},
    {"cvt", "rn.f16x2.f32", "rrr"},
    {"fma", "rn.bf16 rn.bf16x2 rn.relu.bf16 rn.relu.bf16x2", "tttt"},
    {"min max", "bf16 bf16x2 NaN.bf16 NaN.bf16x2", "ttt"},
    {"neg abs", "bf16 bf16x2", "tt"},
    {"cvt", "rn.bf16.f32 rz.bf16.f32 rn.relu.bf16.f32 rz.relu.bf16.f32 rn.relu.f16.f32 rz.relu.f16.f32",
     "hr"},
    {"cvt", "rn.bf16x2.f32 rz.bf16x2.f32 rz.relu.bf16x2.f32 rn.relu.f16x2.f32 rz.f16x2.f32 rz.relu.f16x2.f32",
     "rrr"},
    {"cvt", "rna.tf32.f32", "rr"},
    {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged", "b64", "dr"},
    {"createpolicy.cvt.L2", "b64", "dd"},
    {"mbarrier.pending_count", "b64", "rd"},
    {"cvta.to.global cvta cvta.shared cvta.to.shared cvta.local cvta.to.local", "u64", "tt"},
    {"isspacep.global isspacep.shared isspacep.local isspacep.const", "u64", "pd"},
};

// PTX ISA 9.7.14, compute capability 7.5 and 8.0, and some forms of later devices.
constexpr Form matrix_table[] = {
    {"movmatrix.sync.aligned.m8n8.trans", "b16", "rr"},
    {"mma.sync.aligned.m16n8k8.row.col", "f32.f16.f16.f32", "4214"},
    {"mma.sync.aligned.m16n8k8.row.col", "f16.f16.f16.f16", "2212"},
    {"mma.sync.aligned.m16n8k16.row.col", "f32.f16.f16.f32 f32.bf16.bf16.f32", "4424"},
    {"mma.sync.aligned.m16n8k16.row.col", "f16.f16.f16.f16", "2422"},
    {"mma.sync.aligned.m16n8k8.row.col", "f32.bf16.bf16.f32", "4214"},
    {"mma.sync.aligned.m16n8k4.row.col", "f32.tf32.tf32.f32 f32.f16.f16.f32", "4214"},
    {"mma.sync.aligned.m16n8k8.row.col", "f32.tf32.tf32.f32", "4424"},
    {"mma.sync.aligned.m8n8k4.row.col", "f64.f64.f64.f64 f64.f64.f64.f64.rz rp.f64.f64.f64.f64", "BAAB"},
    {"mma.sync.aligned.m16n8k16.row.col", "s32.s8.u8.s32 s32.u8.u8.s32.satfinite", "4214"},
    {"mma.sync.aligned.m16n8k32.row.col", "s32.u8.s8.s32 s32.s8.s8.s32.satfinite", "4424"},
    {"mma.sync.aligned.m16n8k32.row.col", "s32.s4.u4.s32 s32.u4.u4.s32.satfinite", "4214"},
    {"mma.sync.aligned.m16n8k64.row.col", "s32.u4.s4.s32 s32.s4.s4.s32.satfinite", "4424"},
    {"mma.sync.aligned.m16n8k128.row.col", "s32.b1.b1.s32.xor.popc s32.b1.b1.s32.and.popc", "4214"},
    {"mma.sync.aligned.m16n8k256.row.col", "s32.b1.b1.s32.xor.popc s32.b1.b1.s32.and.popc", "4424"},
    {"wmma.mma.sync.aligned.row.col.m16n16k16", "f32.bf16.bf16.f32", "8448"},
    {"wmma.mma.sync.aligned.col.row.m32n8k16", "f32.bf16.bf16.f32", "8828"},
    {"wmma.mma.sync.aligned.col.col.m8n32k16", "f32.bf16.bf16.f32", "8288"},
    {"wmma.mma.sync.aligned.row.row.m16n16k8", "f32.tf32.tf32.f32", "8448"},
    {"wmma.mma.sync.aligned.row.row.m8n8k4 wmma.mma.sync.aligned.col.col.m8n8k4.rm", "f64.f64.f64.f64",
     "BAAB"},
    {"mma.sync.aligned.m8n8k4.row.row mma.sync.aligned.m8n8k4.row.col mma.sync.aligned.m8n8k4.col.row "
     "mma.sync.aligned.m8n8k4.col.col",
     "f32.f16.f16.f32", "8228"},
    {"mma.sync.aligned.m8n8k4.col.row mma.sync.aligned.m8n8k4.row.col", "f32.f16.f16.f16", "8224"},
    {"mma.sync.aligned.m8n8k4.col.row mma.sync.aligned.m8n8k4.row.col", "f16.f16.f16.f16", "4224"},
    {"mma.sync.aligned.m8n8k16.row.col mma.sync.aligned.m8n8k16.row.col.satfinite",
     "s32.s8.s8.s32 s32.s8.u8.s32 s32.u8.s8.s32 s32.u8.u8.s32", "2112"},
    {"mma.sync.aligned.m8n8k32.row.col mma.sync.aligned.m8n8k32.row.col.satfinite",
     "s32.s4.s4.s32 s32.s4.u4.s32 s32.u4.s4.s32 s32.u4.u4.s32", "2112"},
    {"mma.sync.aligned.m8n8k128.row.col", "s32.b1.b1.s32.xor.popc s32.b1.b1.s32.and.popc", "2112"},
    {"wmma.mma.sync.aligned.row.col.m16n16k16 wmma.mma.sync.aligned.col.row.m32n8k16 "
     "wmma.mma.sync.aligned.row.row.m8n32k16",
     "f32.f32", "8888"},
    {"wmma.mma.sync.aligned.row.col.m16n16k16 wmma.mma.sync.aligned.col.row.m32n8k16", "f16.f16", "4884"},
    {"wmma.mma.sync.aligned.col.col.m8n32k16", "f16.f32", "4888"},
    {"wmma.mma.sync.aligned.col.col.m8n32k16", "f32.f16", "8884"},
    {"wmma.mma.sync.aligned.row.col.m16n16k16", "s32.s8.s8.s32 s32.u8.u8.s32 s32.u8.u8.s32.satfinite",
     "8228"},
    {"wmma.mma.sync.aligned.row.col.m32n8k16", "s32.s8.s8.s32 s32.u8.u8.s32.satfinite", "8418"},
    {"wmma.mma.sync.aligned.row.col.m8n32k16", "s32.s8.s8.s32.satfinite s32.u8.u8.s32", "8148"},
    {"wmma.mma.sync.aligned.row.col.m8n8k32", "s32.s4.s4.s32 s32.u4.u4.s32.satfinite", "2112"},
    {"wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128", "s32.b1.b1.s32", "2112"},
};

} // namespace

std::span<Form const> forms() { return table; }
std::span<Form const> matrix_forms() { return matrix_table; }

std::string register_vector(char digit, unsigned first, unsigned registers) {
  bool const wide = digit >= 'A';
  unsigned const count = static_cast<unsigned>(wide ? digit - 'A' + 1 : digit - '0');
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text +=
        fmt::format("{}%{}{}", i == 0 ? "" : ", ", wide ? 'd' : 'r', (first + i) % (wide ? 6 : registers));
  return text + "}";
}

unsigned register_bits(std::string_view type) {
  std::string_view const last = type.substr(type.rfind('.') + 1);
  if (last == "pred") return 0;
  if (last.ends_with("16x2")) return 32;
  std::string_view const digits = last.substr(std::min(last.find_first_of("0123456789"), last.size()));
  return digits == "64" ? 64 : digits == "32" ? 32 : 16;
}

std::string_view word_of(std::string_view list, unsigned choice) {
  auto const words = static_cast<unsigned>(std::count(list.begin(), list.end(), ' ')) + 1;
  for (choice %= words; choice > 0; --choice)
    list.remove_prefix(list.find(' ') + 1);
  return list.substr(0, list.find(' '));
}

} // namespace pegasus::fuzz
