// SPDX-License-Identifier: Apache-2.0
// Integer and bit instructions by table: PTX ISA 9.7.1, 9.7.2, 9.7.8. Each row runs on every instruction set,
// with full warps and with a few lanes.
#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace pegasus::software;
using namespace pegasus::software::test;

namespace {

struct Row {
  std::string code, types; // types: "d a b c"
  std::uint64_t a, b, c, d;
};

constexpr std::uint64_t all32 = 0xffffffff, all64 = ~std::uint64_t{0};

std::vector<Row> const rows = {
    {"add.s32 %d, %a, %b;", "u32 u32 u32", all32, 2, 0, 1},
    {"add.u16 %d, %a, %b;", "u16 u16 u16", 0xffff, 3, 0, 2},
    {"add.s64 %d, %a, %b;", "u64 u64 u64", all64, 5, 0, 4},
    {"add.sat.s32 %d, %a, %b;", "u32 u32 u32", 0x7fffffff, 1, 0, 0x7fffffff},
    {"add.sat.s32 %d, %a, %b;", "u32 u32 u32", 0x80000000, all32, 0, 0x80000000},
    {"sub.sat.s32 %d, %a, %b;", "u32 u32 u32", 0x80000000, 1, 0, 0x80000000},
    {"sub.s32 %d, %a, %b;", "u32 u32 u32", 1, 2, 0, all32},
    {"add.s32 %d, %a, -7;", "u32 u32", 10, 0, 0, 3},
    {"mul.lo.s32 %d, %a, %b;", "u32 u32 u32", 0x10001, 0x10001, 0, 0x20001},
    {"mul.lo.s16 %d, %a, %b;", "u16 u16 u16", 0xffff, 0xffff, 0, 1},
    {"mul.lo.s64 %d, %a, %b;", "u64 u64 u64", 0x100000001, 0x100000001, 0, 0x200000001},
    {"mul.hi.u32 %d, %a, %b;", "u32 u32 u32", all32, all32, 0, 0xfffffffe},
    {"mul.hi.s32 %d, %a, %b;", "u32 u32 u32", all32, all32, 0, 0},
    {"mul.hi.s32 %d, %a, %b;", "u32 u32 u32", 0x80000000, 2, 0, all32},
    {"mul.hi.u64 %d, %a, %b;", "u64 u64 u64", all64, all64, 0, all64 - 1},
    {"mul.hi.s64 %d, %a, %b;", "u64 u64 u64", std::uint64_t{1} << 63, 2, 0, all64},
    {"mul.wide.s32 %d, %a, %b;", "u64 u32 u32", all32, 3, 0, all64 - 2},
    {"mul.wide.u32 %d, %a, %b;", "u64 u32 u32", all32, 3, 0, 0x2fffffffd},
    {"mul.wide.s16 %d, %a, %b;", "u32 u16 u16", 0xffff, 3, 0, 0xfffffffd},
    {"mul.wide.u16 %d, %a, %b;", "u32 u16 u16", 0xffff, 3, 0, 0x2fffd},
    {"mad.lo.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 5, 7, 9, 44},
    {"mad.hi.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x80000000, 2, 9, 8},
    {"mad.hi.sat.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x40000000, 0x40000000, 0x7fffffff, 0x7fffffff},
    {"mad.wide.u32 %d, %a, %b, %c;", "u64 u32 u32 u64", all32, all32, 1, 0xfffffffe00000002},
    {"mad.wide.s32 %d, %a, %b, %c;", "u64 u32 u32 u64", all32, all32, 1, 2},
    {"mul24.lo.u32 %d, %a, %b;", "u32 u32 u32", 0xff000003, 5, 0, 15},
    {"mul24.lo.s32 %d, %a, %b;", "u32 u32 u32", 0x00ffffff, 5, 0, 0xfffffffb},
    {"mul24.hi.u32 %d, %a, %b;", "u32 u32 u32", 0xffffff, 0xffffff, 0, 0xfffffe00},
    {"mad24.lo.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xffffff, 5, 6, 1},
    {"div.s32 %d, %a, %b;", "u32 u32 u32", static_cast<std::uint32_t>(-7), 2, 0,
     static_cast<std::uint32_t>(-3)},
    {"div.s32 %d, %a, %b;", "u32 u32 u32", 0x80000000, all32, 0, 0x80000000},
    {"div.s32 %d, %a, %b;", "u32 u32 u32", 5, 0, 0, all32},
    {"div.u32 %d, %a, %b;", "u32 u32 u32", all32, 1, 0, all32},
    {"div.u32 %d, %a, %b;", "u32 u32 u32", all32, 0xfffffffe, 0, 1},
    {"div.u32 %d, %a, %b;", "u32 u32 u32", 5, 0, 0, all32},
    {"rem.s32 %d, %a, %b;", "u32 u32 u32", static_cast<std::uint32_t>(-7), 2, 0, all32},
    {"rem.s32 %d, %a, %b;", "u32 u32 u32", 0x80000000, all32, 0, 0},
    {"rem.u32 %d, %a, %b;", "u32 u32 u32", all32, 10, 0, 5},
    {"rem.u32 %d, %a, %b;", "u32 u32 u32", 7, 0, 0, all32},
    {"div.s64 %d, %a, %b;", "u64 u64 u64", std::uint64_t{1} << 63, all64, 0, std::uint64_t{1} << 63},
    {"div.s64 %d, %a, %b;", "u64 u64 u64", all64 - 6, 2, 0, all64 - 2},
    {"div.u64 %d, %a, %b;", "u64 u64 u64", all64, 0, 0, all64},
    {"rem.s64 %d, %a, %b;", "u64 u64 u64", all64 - 6, 2, 0, all64},
    {"rem.u64 %d, %a, %b;", "u64 u64 u64", all64, 10, 0, 5},
    {"div.s16 %d, %a, %b;", "u16 u16 u16", 0x8000, 0xffff, 0, 0x8000},
    {"rem.u16 %d, %a, %b;", "u16 u16 u16", 0xffff, 10, 0, 5},
    {"min.s32 %d, %a, %b;", "u32 u32 u32", all32, 1, 0, all32},
    {"min.u32 %d, %a, %b;", "u32 u32 u32", all32, 1, 0, 1},
    {"max.s16 %d, %a, %b;", "u16 u16 u16", 0xffff, 1, 0, 1},
    {"max.u16 %d, %a, %b;", "u16 u16 u16", 0xffff, 1, 0, 0xffff},
    {"max.s64 %d, %a, %b;", "u64 u64 u64", all64, 1, 0, 1},
    {"min.u64 %d, %a, %b;", "u64 u64 u64", all64, 1, 0, 1},
    {"neg.s32 %d, %a;", "u32 u32", 0x80000000, 0, 0, 0x80000000},
    {"neg.s16 %d, %a;", "u16 u16", 1, 0, 0, 0xffff},
    {"abs.s32 %d, %a;", "u32 u32", all32, 0, 0, 1},
    {"abs.s32 %d, %a;", "u32 u32", 0x80000000, 0, 0, 0x80000000},
    {"abs.s64 %d, %a;", "u64 u64", all64, 0, 0, 1},
    {"sad.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", all32, 4, 10, 15},
    {"sad.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0, all32, 1, 0},
    {"and.b32 %d, %a, %b;", "u32 u32 u32", 0xf0f0, 0xff00, 0, 0xf000},
    {"or.b64 %d, %a, %b;", "u64 u64 u64", 0xf0f0, 0xff00, 0, 0xfff0},
    {"xor.b16 %d, %a, %b;", "u16 u16 u16", 0xf0f0, 0xff00, 0, 0x0ff0},
    {"not.b32 %d, %a;", "u32 u32", 0, 0, 0, all32},
    {"cnot.b32 %d, %a;", "u32 u32", 0, 0, 0, 1},
    {"cnot.b32 %d, %a;", "u32 u32", 9, 0, 0, 0},
    {"shl.b32 %d, %a, %b;", "u32 u32 u32", 3, 31, 0, 0x80000000},
    {"shl.b32 %d, %a, %b;", "u32 u32 u32", 3, 32, 0, 0},
    {"shl.b32 %d, %a, %b;", "u32 u32 u32", 3, all32, 0, 0},
    {"shl.b64 %d, %a, %b;", "u64 u64 u32", 3, 63, 0, std::uint64_t{1} << 63},
    {"shl.b16 %d, %a, %b;", "u16 u16 u32", 3, 15, 0, 0x8000},
    {"shr.s32 %d, %a, %b;", "u32 u32 u32", 0x80000000, 99, 0, all32},
    {"shr.u32 %d, %a, %b;", "u32 u32 u32", 0x80000000, 99, 0, 0},
    {"shr.u32 %d, %a, %b;", "u32 u32 u32", 0x80000000, 31, 0, 1},
    {"shr.s64 %d, %a, %b;", "u64 u64 u32", std::uint64_t{1} << 63, 64, 0, all64},
    {"shr.s16 %d, %a, %b;", "u16 u16 u32", 0x8000, 4, 0, 0xf800},
    {"shr.b32 %d, %a, %b;", "u32 u32 u32", 0x80000000, 4, 0, 0x08000000},
    {"shf.l.wrap.b32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x80000001, 0x12345678, 4, 0x23456788},
    {"shf.l.clamp.b32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x80000001, 0x12345678, 40, 0x80000001},
    {"shf.r.wrap.b32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x12345678, 0xabcdef01, 36, 0x11234567},
    {"shf.r.clamp.b32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x12345678, 0xabcdef01, 99, 0xabcdef01},
    {"popc.b32 %d, %a;", "u32 u32", 0xf0f0f0f0, 0, 0, 16},
    {"popc.b64 %d, %a;", "u32 u64", all64, 0, 0, 64},
    {"clz.b32 %d, %a;", "u32 u32", 0, 0, 0, 32},
    {"clz.b32 %d, %a;", "u32 u32", 1, 0, 0, 31},
    {"clz.b64 %d, %a;", "u32 u64", 0, 0, 0, 64},
    {"bfind.u32 %d, %a;", "u32 u32", 0x00010000, 0, 0, 16},
    {"bfind.u32 %d, %a;", "u32 u32", 0, 0, 0, all32},
    {"bfind.s32 %d, %a;", "u32 u32", 0xfffffff0, 0, 0, 3},
    {"bfind.s32 %d, %a;", "u32 u32", all32, 0, 0, all32},
    {"bfind.shiftamt.u32 %d, %a;", "u32 u32", 0x00010000, 0, 0, 15},
    {"bfind.u64 %d, %a;", "u32 u64", std::uint64_t{1} << 40, 0, 0, 40},
    {"brev.b32 %d, %a;", "u32 u32", 0x00000003, 0, 0, 0xc0000000},
    {"brev.b64 %d, %a;", "u64 u64", 1, 0, 0, std::uint64_t{1} << 63},
    {"bfe.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xabcdef12, 8, 8, 0xef},
    {"bfe.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xabcdef12, 8, 8, 0xffffffef},
    {"bfe.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x80000000, 28, 20, 0xfffffff8},
    {"bfe.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xabcdef12, 40, 8, 0},
    {"bfe.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xabcdef12, 40, 8, all32},
    {"bfe.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xabcdef12, 8, 0, 0},
    {"bfe.u64 %d, %a, %b, %c;", "u64 u64 u32 u32", 0x123456789abcdef0, 32, 64, 0x12345678},
    {"bfi.b32 %d, %a, %b, 8, %c;", "u32 u32 u32 u32", 0xff, 0x12345678, 4, 0x12345f78},
    {"bfi.b32 %d, %a, %b, 40, %c;", "u32 u32 u32 u32", 0xff, 0x12345678, 4, 0x12345678},
    {"bfi.b64 %d, %a, %b, 60, %c;", "u64 u64 u64 u32", 0xff, 0, 32, 0xf000000000000000},
    {"bmsk.clamp.b32 %d, %a, %b;", "u32 u32 u32", 4, 8, 0, 0xff0},
    {"bmsk.clamp.b32 %d, %a, %b;", "u32 u32 u32", 28, 99, 0, 0xf0000000},
    {"bmsk.wrap.b32 %d, %a, %b;", "u32 u32 u32", 36, 34, 0, 0x30},
    {"szext.clamp.s32 %d, %a, %b;", "u32 u32 u32", 0xf8, 4, 0, 0xfffffff8},
    {"szext.wrap.u32 %d, %a, %b;", "u32 u32 u32", 0xf8, 36, 0, 8},
    {"prmt.b32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x33221180, 0x77665544, 0x7108, 0x771180ff},
    {"prmt.b32.f4e %d, %a, %b, %c;", "u32 u32 u32 u32", 0x33221100, 0x77665544, 1, 0x44332211},
    {"prmt.b32.b4e %d, %a, %b, %c;", "u32 u32 u32 u32", 0x33221100, 0x77665544, 1, 0x66770011},
    {"prmt.b32.rc16 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x33221100, 0x77665544, 1, 0x33223322},
    {"lop3.b32 %d, %a, %b, %c, 0x96;", "u32 u32 u32 u32", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96969696},
    {"lop3.b32 %d, %a, %b, %c, 0xe2;", "u32 u32 u32 u32", 0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0xe2e2e2e2},
    {"dp4a.s32.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xff010203, 0x01ff0405, 100, 100 - 1 - 1 + 8 + 15},
    {"dp4a.u32.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xff010203, 0x01ff0405, 100,
     100 + 255 + 255 + 8 + 15},
    {"dp2a.lo.s32.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xffff0003, 0x0504fe02, 10, 10 + 2 + 6},
    {"dp2a.hi.s32.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xffff0003, 0x0504fe02, 10, 10 - 5 + 12},
    {"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", "u32 u32 u32 u32", 0xff000102, 0x00ff0304, 7,
     7 + 255 + 255 + 2 + 2},
    {"vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", "u32 u32 u32 u32", 0xff000102, 0x00ff0304, 7, 0xffff0202},
    {"vabsdiff2.u32.u32.u32.add %d, %a, %b, %c;", "u32 u32 u32 u32", 0xffff0001, 0x00000003, 1,
     0xffff + 2 + 1},
    {"selp.b32 %d, %a, %b, %c;", "u32 u32 u32 pred", 1, 2, 1, 1},
    {"selp.f64 %d, %a, %b, %c;", "u64 u64 u64 pred", 1, 2, 0, 2},
    {"slct.u32.s32 %d, %a, %b, %c;", "u32 u32 u32 u32", 1, 2, all32, 2},
    {"slct.b64.f32 %d, %a, %b, %c;", "u64 u64 u64 u32", 1, 2, 0x80000000, 1},
    // Carries.
    {".reg .b32 %x; add.cc.u32 %x, %a, %b; addc.u32 %d, %c, 0;", "u32 u32 u32 u32", all32, 1, 5, 6},
    {".reg .b32 %x; add.cc.u32 %x, %a, %b; addc.cc.u32 %x, %c, %c; addc.u32 %d, 0, 0;", "u32 u32 u32 u32",
     all32, 1, 0x80000000, 1},
    {".reg .b32 %x; sub.cc.u32 %x, %a, %b; subc.u32 %d, %c, 0;", "u32 u32 u32 u32", 0, 1, 5, 4},
    {".reg .b32 %x; mad.lo.cc.u32 %x, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0;", "u32 u32 u32 u32", all32,
     all32, all32, all32},
    {".reg .b64 %x; add.cc.u64 %x, %a, %b; addc.u64 %d, %c, 0;", "u64 u64 u64 u64", all64, 1, 5, 6},
    // Comparisons.
    {"setp.lt.s32 %d, %a, %b;", "pred u32 u32", all32, 0, 0, 1},
    {"setp.lt.u32 %d, %a, %b;", "pred u32 u32", all32, 0, 0, 0},
    {"setp.lo.u32 %d, %a, %b;", "pred u32 u32", 0, all32, 0, 1},
    {"setp.hs.u64 %d, %a, %b;", "pred u64 u64", 0, 1, 0, 0},
    {"setp.ge.s16 %d, %a, %b;", "pred u16 u16", 0xffff, 0, 0, 0},
    {"setp.eq.s64 %d, %a, %b;", "pred u64 u64", 7, 7, 0, 1},
    {"setp.ne.b32 %d, %a, %b;", "pred u32 u32", 7, 7, 0, 0},
    {"setp.eq.and.s32 %d, %a, %b, %c;", "pred u32 u32 pred", 7, 7, 0, 0},
    {"setp.eq.or.s32 %d, %a, %b, !%c;", "pred u32 u32 pred", 7, 8, 0, 1},
    {"setp.eq.xor.s32 %d, %a, %b, %c;", "pred u32 u32 pred", 7, 7, 1, 0},
    {".reg .pred %q; setp.eq.s32 %q|%d, %a, %b;", "pred u32 u32", 7, 7, 0, 0},
    {".reg .pred %q; setp.eq.and.s32 %d|%q, %a, %b, %c;", "pred u32 u32 pred", 7, 7, 1, 1},
    {"set.eq.u32.s32 %d, %a, %b;", "u32 u32 u32", 7, 7, 0, all32},
    {"set.lt.f32.s32 %d, %a, %b;", "u32 u32 u32", 1, 7, 0, 0x3f800000},
    {"and.pred %d, %a, %b;", "pred pred pred", 1, 0, 0, 0},
    {"xor.pred %d, %a, %b;", "pred pred pred", 1, 0, 0, 1},
    {"not.pred %d, %a;", "pred pred", 1, 0, 0, 0},
    {"mov.pred %d, %a;", "pred pred", 1, 0, 0, 1},
    // Guards: a lane whose guard fails keeps its value.
    {"mov.u32 %d, 5; @%c add.u32 %d, %a, %b;", "u32 u32 u32 pred", 1, 2, 1, 3},
    {"mov.u32 %d, 5; @!%c add.u32 %d, %a, %b;", "u32 u32 u32 pred", 1, 2, 1, 5},
    {"@%c setp.eq.u32 %c, %a, %b; selp.u32 %d, 1, 0, %c;", "u32 u32 u32 pred", 1, 2, 1, 0},
    // Moves.
    {"mov.b64 %d, {%a, %b};", "u64 u32 u32", 1, 2, 0, 0x200000001},
    {"mov.b32 %d, {%a, %b};", "u32 u16 u16", 1, 2, 0, 0x20001},
    {"mov.b64 {%d, _}, %a;", "u32 u64", 0x200000001, 0, 0, 1},
    {"mov.b64 {_, %d}, %a;", "u32 u64", 0x200000001, 0, 0, 2},
    {"mov.b32 {_, %d}, %a;", "u16 u32", 0x20001, 0, 0, 2},
    {".reg .b16 %x<4>; mov.b64 {%x0, %x1, %x2, %x3}, %a; mov.b64 %d, {%x3, %x2, %x1, %x0};", "u64 u64",
     0x0001000200030004, 0, 0, 0x0004000300020001},
};

Snippet snippet_of(Row const& row) {
  Snippet s;
  s.code = row.code;
  std::string* const fields[] = {&s.d, &s.a, &s.b, &s.c};
  std::size_t k = 0;
  for (char const c : row.types)
    if (c == ' ')
      ++k;
    else
      *fields[k] += c;
  return s;
}

} // namespace

TEST_CASE("integer instructions give the documented results") {
  Isa const isa = GENERATE(Isa::best, Isa::avx2, Isa::baseline);
  for (Row const& row : rows) {
    INFO(row.code << " a=" << row.a << " b=" << row.b << " c=" << row.c);
    for (std::size_t const lanes : {std::size_t{32}, std::size_t{5}}) {
      std::vector<std::array<std::uint64_t, 3>> const in(lanes, {row.a, row.b, row.c});
      for (std::uint64_t const d : run_snippet(snippet_of(row), in, isa))
        CHECK(d == row.d);
    }
  }
}

// The double-precision quotient behind div.u32 is exact: checks the values that would fail first.
TEST_CASE("32-bit division agrees with the host near multiples") {
  std::vector<std::array<std::uint64_t, 3>> in;
  for (std::uint32_t const b : {1u, 3u, 7u, 641u, 0x7fffffffu, 0x80000000u, 0xfffffffbu, 0xffffffffu})
    for (std::uint32_t const k : {1u, 2u, 0xffffu, 0x12345678u})
      for (int const off : {-1, 0, 1})
        in.push_back({static_cast<std::uint32_t>(b * k) + static_cast<std::uint32_t>(off), b, 0});
  for (auto& row : in)
    row[0] &= 0xffffffff;
  auto const u = run_snippet({"div.u32 %d, %a, %b;", "u32", "u32", "u32", ""}, in);
  auto const s = run_snippet({"rem.s32 %d, %a, %b;", "u32", "u32", "u32", ""}, in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    CHECK(u[i] == in[i][0] / in[i][1]);
    auto const x = static_cast<std::int32_t>(in[i][0]), y = static_cast<std::int32_t>(in[i][1]);
    CHECK(static_cast<std::int32_t>(s[i]) == (y == -1 ? 0 : x % y));
  }
}
