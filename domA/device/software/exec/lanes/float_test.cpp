// SPDX-License-Identifier: Apache-2.0
// Floating point by table and against the host: PTX ISA 9.7.3 to 9.7.5.
#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <limits>

using namespace pegasus::software;
using namespace pegasus::software::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::uint64_t nan32 = 0x7fffffff;
constexpr std::uint64_t nan64 = 0xfff8000000000000, quiet64 = 0x7ff8000000001234,
                        negative64 = 0xffffffffffffffff;
constexpr std::uint64_t signalling = 0x7f800001, negative_nan = 0xffc00000;

struct Row {
  std::string code, types;
  std::uint64_t a, b, c, d;
};

std::uint64_t f(float v) { return bits(v); }
std::uint64_t g(double v) { return bits(v); }

std::vector<Row> const rows = {
    {"add.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(2), 0, f(3)},
    {"add.f32 %d, %a, %b;", "u32 u32 u32", f(inf), f(-inf), 0, nan32},
    {"add.f32 %d, %a, %b;", "u32 u32 u32", negative_nan, f(1), 0, nan32},
    {"mul.f32 %d, %a, %b;", "u32 u32 u32", signalling, f(1), 0, nan32},
    {"add.f32 %d, %a, 0f3F800000;", "u32 u32", f(1), 0, 0, f(2)},
    {"add.f32 %d, %a, 1.5;", "u32 u32", f(1), 0, 0, f(2.5f)},
    {"sub.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(3), 0, f(-2)},
    // Rounding: 1 + 2^-25 lies between 1 and its successor.
    {"add.rn.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(0x1p-25f), 0, f(1)},
    {"add.rz.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(0x1p-25f), 0, f(1)},
    {"add.rm.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(0x1p-25f), 0, f(1)},
    {"add.rp.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(0x1p-25f), 0, f(0x1.000002p0f)},
    {"add.rp.f32 %d, %a, %b;", "u32 u32 u32", f(-1), f(-0x1p-25f), 0, f(-1)},
    {"add.rm.f32 %d, %a, %b;", "u32 u32 u32", f(-1), f(-0x1p-25f), 0, f(-0x1.000002p0f)},
    {"sub.rm.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(1), 0, f(-0.0f)},
    {"mul.rz.f32 %d, %a, %b;", "u32 u32 u32", f(3e38f), f(3e38f), 0, f(std::numeric_limits<float>::max())},
    {"mul.rp.f32 %d, %a, %b;", "u32 u32 u32", f(1e-30f), f(1e-30f), 0, 1},
    {"mul.rn.f32 %d, %a, %b;", "u32 u32 u32", f(1e-30f), f(1e-30f), 0, 0},
    {"fma.rn.f32 %d, %a, %b, %c;", "u32 u32 u32 u32", f(0x1.000002p0f), f(0x1.000002p0f), f(-1), f(0x1p-22f)},
    {"fma.rm.f32 %d, %a, %b, %c;", "u32 u32 u32 u32", f(1), f(1), f(0x1p-30f), f(1)},
    {"fma.rp.f32 %d, %a, %b, %c;", "u32 u32 u32 u32", f(1), f(1), f(0x1p-30f), f(0x1.000002p0f)},
    {"mad.rn.f32 %d, %a, %b, %c;", "u32 u32 u32 u32", f(2), f(3), f(4), f(10)},
    {"div.rn.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(3), 0, f(1.0f / 3.0f)},
    {"div.rz.f32 %d, %a, %b;", "u32 u32 u32", f(2), f(3), 0, f(0x1.555554p-1f)},
    {"div.rn.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(-0.0f), 0, f(-inf)},
    {"div.approx.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(0x1.8p126f), 0, f(0)},
    {"div.approx.f32 %d, %a, %b;", "u32 u32 u32", f(inf), f(0x1.8p126f), 0, nan32},
    {"div.full.f32 %d, %a, %b;", "u32 u32 u32", f(6), f(3), 0, f(2)},
    {"rcp.rn.f32 %d, %a;", "u32 u32", f(4), 0, 0, f(0.25f)},
    {"rcp.approx.ftz.f32 %d, %a;", "u32 u32", f(0x1p127f), 0, 0, f(0)},
    {"rcp.approx.f32 %d, %a;", "u32 u32", f(0x1p127f), 0, 0, f(0x1p-127f)},
    {"sqrt.rn.f32 %d, %a;", "u32 u32", f(2), 0, 0, f(std::sqrt(2.0f))},
    {"sqrt.rn.f32 %d, %a;", "u32 u32", f(-1), 0, 0, nan32},
    {"sqrt.rn.f32 %d, %a;", "u32 u32", f(-0.0f), 0, 0, f(-0.0f)},
    {"sqrt.rp.f32 %d, %a;", "u32 u32", f(2), 0, 0, f(std::nextafter(std::sqrt(2.0f), 2.0f))},
    {"rsqrt.approx.f32 %d, %a;", "u32 u32", f(4), 0, 0, f(0.5f)},
    {"rsqrt.approx.f32 %d, %a;", "u32 u32", f(0), 0, 0, f(inf)},
    // ftz and sat.
    {"add.ftz.f32 %d, %a, %b;", "u32 u32 u32", 1, f(0), 0, 0},
    {"add.ftz.f32 %d, %a, %b;", "u32 u32 u32", 0x80000001, 0x80000001, 0, 0x80000000},
    {"add.f32 %d, %a, %b;", "u32 u32 u32", 1, 1, 0, 2},
    {"mul.ftz.f32 %d, %a, %b;", "u32 u32 u32", f(0x1p-100f), f(-0x1p-30f), 0, 0x80000000},
    {"add.sat.f32 %d, %a, %b;", "u32 u32 u32", f(1), f(2), 0, f(1)},
    {"add.sat.f32 %d, %a, %b;", "u32 u32 u32", f(-1), f(-2), 0, 0},
    {"add.sat.f32 %d, %a, %b;", "u32 u32 u32", nan32, f(1), 0, 0},
    {"fma.rn.ftz.sat.f32 %d, %a, %b, %c;", "u32 u32 u32 u32", f(2), f(3), f(4), f(1)},
    // Minimum and maximum.
    {"min.f32 %d, %a, %b;", "u32 u32 u32", nan32, f(1), 0, f(1)},
    {"min.f32 %d, %a, %b;", "u32 u32 u32", f(1), nan32, 0, f(1)},
    {"min.f32 %d, %a, %b;", "u32 u32 u32", negative_nan, signalling, 0, nan32},
    {"min.f32 %d, %a, %b;", "u32 u32 u32", f(0), f(-0.0f), 0, f(-0.0f)},
    {"max.f32 %d, %a, %b;", "u32 u32 u32", f(-0.0f), f(0), 0, f(0)},
    {"max.NaN.f32 %d, %a, %b;", "u32 u32 u32", f(1), negative_nan, 0, nan32},
    {"max.ftz.f32 %d, %a, %b;", "u32 u32 u32", 1, 0x80000000, 0, 0},
    {"min.f64 %d, %a, %b;", "u64 u64 u64", g(NAN), g(1), 0, g(1)},
    {"max.f64 %d, %a, %b;", "u64 u64 u64", g(-0.0), g(0.0), 0, g(0.0)},
    {"abs.f32 %d, %a;", "u32 u32", f(-2), 0, 0, f(2)},
    {"abs.ftz.f32 %d, %a;", "u32 u32", 0x80000001, 0, 0, 0},
    {"neg.f32 %d, %a;", "u32 u32", f(0), 0, 0, f(-0.0f)},
    {"neg.f64 %d, %a;", "u64 u64", g(1), 0, 0, g(-1)},
    // One NaN for any order of the operands.
    {"add.rn.f64 %d, %a, %b;", "u64 u64 u64", quiet64, negative64, 0, nan64},
    {"add.rn.f64 %d, %a, %b;", "u64 u64 u64", negative64, quiet64, 0, nan64},
    {"mul.rz.f64 %d, %a, %b;", "u64 u64 u64", g(1), quiet64, 0, nan64},
    {"sub.rn.f64 %d, %a, %b;", "u64 u64 u64", g(HUGE_VAL), g(HUGE_VAL), 0, nan64},
    {"fma.rn.f64 %d, %a, %b, %c;", "u64 u64 u64 u64", negative64, quiet64, g(1), nan64},
    {"fma.rn.f64 %d, %a, %b, %c;", "u64 u64 u64 u64", g(1), quiet64, negative64, nan64},
    {"max.f64 %d, %a, %b;", "u64 u64 u64", negative64, quiet64, 0, nan64},
    {"sqrt.rn.f64 %d, %a;", "u64 u64", quiet64, 0, 0, nan64},
    {"copysign.f32 %d, %a, %b;", "u32 u32 u32", f(-1), f(5), 0, f(-5)},
    {"copysign.f64 %d, %a, %b;", "u64 u64 u64", g(1), g(-5), 0, g(5)},
    {"testp.finite.f32 %d, %a;", "pred u32", f(inf), 0, 0, 0},
    {"testp.infinite.f32 %d, %a;", "pred u32", f(inf), 0, 0, 1},
    {"testp.number.f32 %d, %a;", "pred u32", f(inf), 0, 0, 1},
    {"testp.notanumber.f64 %d, %a;", "pred u64", g(NAN), 0, 0, 1},
    {"testp.normal.f32 %d, %a;", "pred u32", 1, 0, 0, 0},
    {"testp.normal.f32 %d, %a;", "pred u32", f(-0.0f), 0, 0, 1},
    {"testp.subnormal.f32 %d, %a;", "pred u32", 1, 0, 0, 1},
    {"testp.subnormal.f64 %d, %a;", "pred u64", g(0.0), 0, 0, 0},
    // Double precision.
    {"fma.rn.f64 %d, %a, %b, %c;", "u64 u64 u64 u64", g(1.0 / 3), g(3), g(-1),
     g(std::fma(1.0 / 3, 3.0, -1.0))},
    {"add.rm.f64 %d, %a, %b;", "u64 u64 u64", g(1), g(0x1p-60), 0, g(1)},
    {"add.rp.f64 %d, %a, %b;", "u64 u64 u64", g(1), g(0x1p-60), 0, g(0x1.0000000000001p0)},
    {"mul.rm.f64 %d, %a, %b;", "u64 u64 u64", g(0.1), g(0.1), 0, g(0x1.47ae147ae147bp-7)},
    {"div.rp.f64 %d, %a, %b;", "u64 u64 u64", g(1), g(3), 0, g(0x1.5555555555556p-2)},
    {"div.rm.f64 %d, %a, %b;", "u64 u64 u64", g(1), g(3), 0, g(0x1.5555555555555p-2)},
    {"rcp.rn.f64 %d, %a;", "u64 u64", g(3), 0, 0, g(1.0 / 3)},
    {"sqrt.rn.f64 %d, %a;", "u64 u64", g(2), 0, 0, g(std::sqrt(2.0))},
    {"rcp.approx.ftz.f64 %d, %a;", "u64 u64", g(4), 0, 0, g(0.25)},
    {"rsqrt.approx.ftz.f64 %d, %a;", "u64 u64", g(4), 0, 0, g(0.5)},
    // Comparison: unordered forms hold for NaN.
    {"setp.lt.f32 %d, %a, %b;", "pred u32 u32", nan32, f(1), 0, 0},
    {"setp.ltu.f32 %d, %a, %b;", "pred u32 u32", nan32, f(1), 0, 1},
    {"setp.ne.f32 %d, %a, %b;", "pred u32 u32", nan32, f(1), 0, 0},
    {"setp.neu.f32 %d, %a, %b;", "pred u32 u32", nan32, f(1), 0, 1},
    {"setp.equ.f64 %d, %a, %b;", "pred u64 u64", g(NAN), g(1), 0, 1},
    {"setp.geu.f32 %d, %a, %b;", "pred u32 u32", f(1), f(2), 0, 0},
    {"setp.nan.f32 %d, %a, %b;", "pred u32 u32", nan32, f(1), 0, 1},
    {"setp.num.f32 %d, %a, %b;", "pred u32 u32", f(2), f(1), 0, 1},
    {"setp.eq.ftz.f32 %d, %a, %b;", "pred u32 u32", 1, 0, 0, 1},
    {"setp.eq.f32 %d, %a, %b;", "pred u32 u32", f(0), f(-0.0f), 0, 1},
    // Half precision. 1 + 2^-11 is a tie; 65504 is the largest.
    {"add.f16 %d, %a, %b;", "u16 u16 u16", 0x3c00, 0x1000, 0, 0x3c00},
    {"add.f16 %d, %a, %b;", "u16 u16 u16", 0x3c01, 0x1000, 0, 0x3c02},
    {"add.f16 %d, %a, %b;", "u16 u16 u16", 0x7bff, 0x7bff, 0, 0x7c00},
    {"sub.f16 %d, %a, %b;", "u16 u16 u16", 0x7c00, 0x7c00, 0, 0x7fff},
    {"mul.f16 %d, %a, %b;", "u16 u16 u16", 0x0001, 0x3800, 0, 0x0000},
    {"mul.f16 %d, %a, %b;", "u16 u16 u16", 0x0003, 0x3800, 0, 0x0002},
    {"mul.ftz.f16 %d, %a, %b;", "u16 u16 u16", 0x0200, 0x3c00, 0, 0x0000},
    {"add.sat.f16 %d, %a, %b;", "u16 u16 u16", 0x3c00, 0x3c00, 0, 0x3c00},
    {"fma.rn.f16 %d, %a, %b, %c;", "u16 u16 u16 u16", 0x3c01, 0x3c01, 0xbc00, 0x1800},
    {"add.f16x2 %d, %a, %b;", "u32 u32 u32", 0x3c004000, 0x40003c00, 0, 0x42004200},
    {"fma.rn.f16x2 %d, %a, %b, %c;", "u32 u32 u32 u32", 0x40003c00, 0x40004000, 0x3c003c00, 0x45004200},
    {"mul.f16x2 %d, %a, %b;", "u32 u32 u32", 0x40003c00, 0x40004000, 0, 0x44004000},
    {"neg.f16x2 %d, %a;", "u32 u32", 0x3c00bc00, 0, 0, 0xbc003c00},
    {"abs.f16 %d, %a;", "u16 u16", 0xbc00, 0, 0, 0x3c00},
    {"max.f16 %d, %a, %b;", "u16 u16 u16", 0x7e00, 0x3c00, 0, 0x3c00},
    {"min.NaN.f16x2 %d, %a, %b;", "u32 u32 u32", 0x3c007e00, 0x40003c00, 0, 0x3c007fff},
    {"setp.lt.f16 %d, %a, %b;", "pred u16 u16", 0xbc00, 0x3c00, 0, 1},
    {".reg .pred %q; setp.lt.f16x2 %d|%q, %a, %b;", "pred u32 u32", 0x3c00bc00, 0x3c003c00, 0, 1},
    {".reg .pred %q; setp.lt.f16x2 %q|%d, %a, %b;", "pred u32 u32", 0x3c00bc00, 0x3c003c00, 0, 0},
    {"set.gt.f16x2.f16x2 %d, %a, %b;", "u32 u32 u32", 0x40003c00, 0x3c003c00, 0, 0x3c000000},
    {"set.eq.f16.f16 %d, %a, %b;", "u16 u16 u16", 0x3c00, 0x3c00, 0, 0x3c00},
    {"set.nan.f32.f32 %d, %a, %b;", "u32 u32 u32", nan32, f(1), 0, f(1)},
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

float single(std::uint64_t v) { return std::bit_cast<float>(static_cast<std::uint32_t>(v)); }

// Special singles: all exponents with a few mantissas, both signs.
std::vector<std::array<std::uint64_t, 3>> sweep() {
  std::vector<std::array<std::uint64_t, 3>> in;
  for (std::uint32_t e = 0; e < 256; ++e)
    for (std::uint32_t const m : {0u, 1u, 0x2aaaaau, 0x400000u, 0x7fffffu})
      in.push_back({(e << 23 | m) ^ (e * 7 + m) % 2 << 31, 0, 0});
  return in;
}

std::vector<std::uint64_t> run_all(Snippet const& s, std::vector<std::array<std::uint64_t, 3>> const& in,
                                   Isa isa) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < in.size(); i += 1024) {
    std::vector<std::array<std::uint64_t, 3>> const part(
        in.begin() + static_cast<std::ptrdiff_t>(i),
        in.begin() + static_cast<std::ptrdiff_t>(std::min(in.size(), i + 1024)));
    auto const d = run_snippet(s, part, isa);
    out.insert(out.end(), d.begin(), d.end());
  }
  return out;
}

} // namespace

TEST_CASE("floating point instructions give the documented results") {
  Isa const isa = GENERATE(Isa::best, Isa::avx2, Isa::baseline);
  for (Row const& row : rows) {
    INFO(row.code << std::hex << " a=" << row.a << " b=" << row.b << " c=" << row.c);
    for (std::size_t const lanes : {std::size_t{32}, std::size_t{5}}) {
      std::vector<std::array<std::uint64_t, 3>> const in(lanes, {row.a, row.b, row.c});
      for (std::uint64_t const d : run_snippet(snippet_of(row), in, isa))
        CHECK(d == row.d);
    }
  }
}

TEST_CASE("directed rounding agrees with the host's for every exponent") {
  Isa const isa = GENERATE(Isa::best, Isa::avx2, Isa::baseline);
  auto in = sweep();
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i][1] = in[(i * 389 + 17) % in.size()][0];
  struct Mode {
    std::string name;
    int mode;
  };
  for (Mode const& mode : {Mode{"rn", FE_TONEAREST}, Mode{"rz", FE_TOWARDZERO}, Mode{"rm", FE_DOWNWARD},
                           Mode{"rp", FE_UPWARD}}) {
    for (std::string const op : {"add", "mul", "div"}) {
      auto const d = run_all({op + "." + mode.name + ".f32 %d, %a, %b;", "u32", "u32", "u32", ""}, in, isa);
      for (std::size_t i = 0; i < in.size(); ++i) {
        float const volatile a = single(in[i][0]), b = single(in[i][1]);
        std::fesetround(mode.mode);
        float const volatile want = op == "add" ? a + b : op == "mul" ? a * b : a / b;
        std::fesetround(FE_TONEAREST);
        INFO(op << "." << mode.name << " " << a << " " << b);
        CHECK(d[i] == (std::isnan(want) ? nan32 : bits(static_cast<float>(want))));
      }
    }
  }
}

// Documented maximum errors: PTX ISA 9.7.3.14 to 9.7.3.23; the results here are well within them.
TEST_CASE("approximations stay within the documented error") {
  Isa const isa = GENERATE(Isa::best, Isa::avx2, Isa::baseline);
  auto const in = sweep();
  struct Function {
    std::string name;
    double (*host)(double);
    double absolute, relative;
    float limit;
  };
  Function const functions[] = {
      {"sin.approx.f32", std::sin, 0x1p-23, 0, inf},          {"cos.approx.f32", std::cos, 0x1p-23, 0, inf},
      {"ex2.approx.f32", std::exp2, 0x1p-149, 0x1p-22, inf},  {"lg2.approx.f32", std::log2, 0, 0x1p-22, inf},
      {"tanh.approx.f32", std::tanh, 0x1p-149, 0x1p-21, inf}, {"sqrt.approx.f32", std::sqrt, 0, 0x1p-23, inf},
  };
  for (Function const& fn : functions) {
    auto const d = run_all({fn.name + " %d, %a;", "u32", "u32", "", ""}, in, isa);
    for (std::size_t i = 0; i < in.size(); ++i) {
      float const x = single(in[i][0]), y = single(d[i]);
      double const want = fn.host(static_cast<double>(x));
      INFO(fn.name << " " << x);
      if (std::isnan(want))
        CHECK(d[i] == nan32);
      else if (std::isinf(static_cast<float>(want)))
        CHECK(y == static_cast<float>(want));
      else
        CHECK(std::abs(static_cast<double>(y) - want) <= fn.absolute + fn.relative * std::abs(want));
    }
  }
}

TEST_CASE("every half converts to single and back, and sums of halves are rounded once") {
  Isa const isa = GENERATE(Isa::best, Isa::avx2, Isa::baseline);
  std::vector<std::array<std::uint64_t, 3>> in;
  for (std::uint32_t h = 0; h < 0x10000; h += 7)
    in.push_back({h, (h * 40503u) & 0xffff, 0});
  auto const d =
      run_all({".reg .f32 %x; cvt.f32.f16 %x, %a; cvt.rn.f16.f32 %d, %x;", "u16", "u16", "", ""}, in, isa);
  auto const sum = run_all({"add.f16 %d, %a, %b;", "u16", "u16", "u16", ""}, in, isa);
  for (std::size_t i = 0; i < in.size(); ++i) {
    bool const nan = (in[i][0] & 0x7fff) > 0x7c00;
    CHECK(d[i] == (nan ? 0x7fff : in[i][0]));
    auto const value = [](std::uint64_t h) { // by definition, in double precision
      int const e = static_cast<int>(h >> 10 & 31);
      double const m = static_cast<double>(h & 1023);
      double const mag = e == 31  ? (m != 0 ? NAN : HUGE_VAL)
                         : e == 0 ? std::ldexp(m, -24)
                                  : std::ldexp(1024 + m, e - 25);
      return (h & 0x8000) != 0 ? -mag : mag;
    };
    double const want = value(in[i][0]) + value(in[i][1]); // exact
    double const got = value(sum[i]);
    if (std::isnan(want)) {
      CHECK(sum[i] == 0x7fff);
    } else if (std::isinf(got)) {
      CHECK(std::abs(want) >= 65520);
    } else {
      int const exponent = std::max(std::ilogb(want == 0 ? 1e-9 : want), -14);
      CHECK(std::abs(got - want) <= std::ldexp(0.5, exponent - 10));
    }
  }
}
