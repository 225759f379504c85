// SPDX-License-Identifier: Apache-2.0
// cvt by table: PTX ISA 9.7.9.21.
#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace pegasus::software;
using namespace pegasus::software::test;

namespace {

struct Row {
  std::string code, d, a;
  std::uint64_t in, out;
};
std::uint64_t f(float v) { return bits(v); }
std::uint64_t g(double v) { return bits(v); }
constexpr std::uint64_t top64 = std::uint64_t{1} << 63, nan32 = 0x7fffffff;
constexpr std::uint64_t signalling64 = 0x7ff0002100000021, nan64 = 0xfff8000000000000;

std::vector<Row> const rows = {
    {"cvt.s64.s32 %d, %a;", "u64", "u32", 0xffffffff, ~std::uint64_t{0}},
    {"cvt.u64.u32 %d, %a;", "u64", "u32", 0xffffffff, 0xffffffff},
    {"cvt.u32.u64 %d, %a;", "u32", "u64", 0x123456789, 0x23456789},
    {"cvt.u16.u32 %d, %a;", "u16", "u32", 0x12345, 0x2345},
    {"cvt.s32.s8 %d, %a;", "u32", "u32", 0x1280, 0xffffff80},
    {"cvt.s32.s8 %d, %a;", "u32", "u16", 0x1280, 0xffffff80},
    {"cvt.u32.u8 %d, %a;", "u32", "u16", 0x1280, 0x80},
    {"cvt.s16.s8 %d, %a;", "u16", "u32", 0x80, 0xff80},
    {"cvt.s64.s8 %d, %a;", "u64", "u64", 0x80, ~std::uint64_t{0x7f}},
    {"cvt.u8.u32 %d, %a;", "u32", "u32", 0x1280, 0x80},
    {"cvt.sat.u8.s32 %d, %a;", "u32", "u32", static_cast<std::uint32_t>(-5), 0},
    {"cvt.sat.u8.s32 %d, %a;", "u32", "u32", 300, 255},
    {"cvt.sat.s8.s32 %d, %a;", "u32", "u32", static_cast<std::uint32_t>(-300), 0xffffff80},
    {"cvt.sat.s32.u32 %d, %a;", "u32", "u32", 0xffffffff, 0x7fffffff},
    {"cvt.sat.u32.s64 %d, %a;", "u32", "u64", ~std::uint64_t{0}, 0},
    {"cvt.sat.s64.u64 %d, %a;", "u64", "u64", ~std::uint64_t{0}, top64 - 1},
    // Float to integer: clamps; NaN is 0 for 32 bits, the top bit alone for 64 bits or from double.
    {"cvt.rzi.s32.f32 %d, %a;", "u32", "u32", f(-2.9f), static_cast<std::uint32_t>(-2)},
    {"cvt.rni.s32.f32 %d, %a;", "u32", "u32", f(2.5f), 2},
    {"cvt.rni.s32.f32 %d, %a;", "u32", "u32", f(3.5f), 4},
    {"cvt.rmi.s32.f32 %d, %a;", "u32", "u32", f(-2.1f), static_cast<std::uint32_t>(-3)},
    {"cvt.rpi.s32.f32 %d, %a;", "u32", "u32", f(2.1f), 3},
    {"cvt.rzi.s32.f32 %d, %a;", "u32", "u32", f(3e9f), 0x7fffffff},
    {"cvt.rzi.s32.f32 %d, %a;", "u32", "u32", f(-3e9f), 0x80000000},
    {"cvt.rzi.u32.f32 %d, %a;", "u32", "u32", f(-1), 0},
    {"cvt.rzi.u32.f32 %d, %a;", "u32", "u32", f(4.2e9f), 4200000000 / 256 * 256},
    {"cvt.rzi.s32.f32 %d, %a;", "u32", "u32", nan32, 0},
    {"cvt.rzi.s64.f32 %d, %a;", "u64", "u32", nan32, top64},
    {"cvt.rzi.u64.f32 %d, %a;", "u64", "u32", nan32, top64},
    {"cvt.rzi.s32.f64 %d, %a;", "u32", "u64", g(NAN), 0x80000000},
    {"cvt.rzi.s64.f64 %d, %a;", "u64", "u64", g(-1e30), top64},
    {"cvt.rzi.s64.f64 %d, %a;", "u64", "u64", g(1e30), top64 - 1},
    {"cvt.rzi.u64.f64 %d, %a;", "u64", "u64", g(1e30), ~std::uint64_t{0}},
    {"cvt.rzi.u64.f64 %d, %a;", "u64", "u64", g(0x1p63), top64},
    {"cvt.rpi.s32.f32 %d, %a;", "u32", "u32", 1, 1},
    {"cvt.rpi.ftz.s32.f32 %d, %a;", "u32", "u32", 1, 0},
    {"cvt.rzi.s8.f32 %d, %a;", "u32", "u32", f(-200), 0xffffff80},
    {"cvt.rzi.u8.f16 %d, %a;", "u16", "u16", 0x5c00, 255},
    {"cvt.rni.s32.f16 %d, %a;", "u32", "u16", 0x4100, 2},
    // Integer to float.
    {"cvt.rn.f32.s32 %d, %a;", "u32", "u32", 0x01000001, f(16777216)},
    {"cvt.rp.f32.s32 %d, %a;", "u32", "u32", 0x01000001, f(16777218)},
    {"cvt.rz.f32.s32 %d, %a;", "u32", "u32", 0x01000003, f(16777218)},
    {"cvt.rm.f32.s32 %d, %a;", "u32", "u32", static_cast<std::uint32_t>(-0x01000001), f(-16777218)},
    {"cvt.rn.f32.u32 %d, %a;", "u32", "u32", 0xffffffff, f(4294967296.0f)},
    {"cvt.rz.f32.u32 %d, %a;", "u32", "u32", 0xffffffff, f(0x1.fffffep31f)},
    {"cvt.rn.f32.u64 %d, %a;", "u32", "u64", ~std::uint64_t{0}, f(0x1p64f)},
    {"cvt.rm.f32.u64 %d, %a;", "u32", "u64", ~std::uint64_t{0}, f(0x1.fffffep63f)},
    {"cvt.rn.f32.s64 %d, %a;", "u32", "u64", 0x8000004000000001, f(-0x1.fffffep62f)},
    {"cvt.rn.f64.u64 %d, %a;", "u64", "u64", ~std::uint64_t{0}, g(0x1p64)},
    {"cvt.rn.f64.s32 %d, %a;", "u64", "u32", 0xffffffff, g(-1)},
    {"cvt.rn.f32.u16 %d, %a;", "u32", "u16", 0xffff, f(65535)},
    {"cvt.rn.f32.s8 %d, %a;", "u32", "u32", 0xff, f(-1)},
    {"cvt.rn.f16.s32 %d, %a;", "u16", "u32", 2049, 0x6800},
    {"cvt.rn.f16.s32 %d, %a;", "u16", "u32", 70000, 0x7c00},
    {"cvt.rz.f16.s32 %d, %a;", "u16", "u32", 70000, 0x7bff},
    // Float to float.
    {"cvt.rn.f32.f64 %d, %a;", "u32", "u64", g(0.1), f(0.1f)},
    {"cvt.rz.f32.f64 %d, %a;", "u32", "u64", g(0.1), f(0x1.999998p-4f)},
    {"cvt.rp.f32.f64 %d, %a;", "u32", "u64", g(1e300), f(INFINITY)},
    {"cvt.rm.f32.f64 %d, %a;", "u32", "u64", g(1e300), f(0x1.fffffep127f)},
    {"cvt.rn.f32.f64 %d, %a;", "u32", "u64", g(NAN), nan32},
    {"cvt.rn.ftz.f32.f64 %d, %a;", "u32", "u64", g(1e-40), 0},
    {"cvt.f64.f32 %d, %a;", "u64", "u32", f(0.5f), g(0.5)},
    {"cvt.ftz.f64.f32 %d, %a;", "u64", "u32", 1, 0},
    {"cvt.sat.f32.f32 %d, %a;", "u32", "u32", f(1.5f), f(1)},
    {"cvt.sat.f32.f32 %d, %a;", "u32", "u32", nan32, 0},
    {"cvt.rmi.f32.f32 %d, %a;", "u32", "u32", f(-0.5f), f(-1)},
    {"cvt.rni.f32.f32 %d, %a;", "u32", "u32", f(0.5f), 0},
    {"cvt.rzi.f32.f32 %d, %a;", "u32", "u32", f(-0.5f), f(-0.0f)},
    {"cvt.rpi.f64.f64 %d, %a;", "u64", "u64", g(0.2), g(1)},
    {"cvt.rni.f64.f64 %d, %a;", "u64", "u64", signalling64, nan64},
    {"cvt.rmi.f64.f64 %d, %a;", "u64", "u64", signalling64, nan64},
    {"cvt.f64.f32 %d, %a;", "u64", "u32", 0x7fa00000, nan64},
    {"cvt.f64.f16 %d, %a;", "u64", "u16", 0x7d01, nan64},
    {"cvt.rn.f16.f32 %d, %a;", "u16", "u32", f(65519.0f), 0x7bff},
    {"cvt.rn.f16.f32 %d, %a;", "u16", "u32", f(65520.0f), 0x7c00},
    {"cvt.rz.f16.f32 %d, %a;", "u16", "u32", f(1e9f), 0x7bff},
    {"cvt.rm.f16.f32 %d, %a;", "u16", "u32", f(-1.0001f), 0xbc01},
    {"cvt.rp.f16.f32 %d, %a;", "u16", "u32", f(1e-20f), 0x0001},
    {"cvt.rm.f16.f32 %d, %a;", "u16", "u32", f(-1e-20f), 0x8001},
    {"cvt.rn.f16.f64 %d, %a;", "u16", "u64", g(1 + 0x1p-11 + 0x1p-40), 0x3c01},
    {"cvt.f32.f16 %d, %a;", "u32", "u16", 0x7e01, nan32},
    {"cvt.f32.f16 %d, %a;", "u32", "u16", 0x0001, f(0x1p-24f)},
    {"cvt.f64.f16 %d, %a;", "u64", "u16", 0xc000, g(-2)},
    {"cvt.rmi.f16.f16 %d, %a;", "u16", "u16", 0xb800, 0xbc00},
};

} // namespace

TEST_CASE("conversions give the documented results") {
  Isa const isa = GENERATE(Isa::best, Isa::avx2, Isa::baseline);
  for (Row const& row : rows) {
    INFO(row.code << std::hex << " a=" << row.in);
    for (std::size_t const lanes : {std::size_t{32}, std::size_t{5}}) {
      std::vector<std::array<std::uint64_t, 3>> const in(lanes, {row.in, 0, 0});
      for (std::uint64_t const d : run_snippet({row.code, row.d, row.a, "", ""}, in, isa))
        CHECK(d == row.out);
    }
  }
}
