// SPDX-License-Identifier: Apache-2.0
// mma of compute capability 8.0 against plain sums. The places of elements are written here as PTX ISA 9.7.14.5 states
// them.
#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/test_matrices.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <fmt/format.h>
#include <random>

using namespace pegasus::software;
using namespace pegasus::software::test;
using u32 = std::uint32_t;
using s64 = std::int64_t;

namespace {

constexpr Isa sets[] = {Isa::baseline, Isa::avx2, Isa::avx512};

// m16n8 with k factors of `bits` bits: rows g and g + 8; a lane's elements of a row are adjacent, and continue beyond
// those of all four lanes.
MmaForm m16n8(std::string words, int k, int bits, int accumulator_bits = 32) {
  int const in_word = 32 / bits;
  LaneLayout const c{4, accumulator_bits, [](int lane, int i) {
                       return At{lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
                     }};
  auto const along_k = [=](int lane, int word, int i) {
    return word * 4 * in_word + lane % 4 * in_word + i % in_word;
  };
  return {std::move(words),
          16,
          8,
          k,
          {16 * k / 32, bits,
           [=](int lane, int i) {
             return At{lane / 4 + i / in_word % 2 * 8, along_k(lane, i / in_word / 2, i)};
           }},
          {8 * k / 32, bits,
           [=](int lane, int i) {
             return At{along_k(lane, i / in_word, i), lane / 4};
           }},
          c,
          c,
          80};
}

float number(std::string const& type, u32 bits) {
  if (type == "f16") return float_of_half(static_cast<std::uint16_t>(bits));
  return std::bit_cast<float>(type == "bf16" ? bits << 16 : type == "tf32" ? bits & 0xffffe000 : bits);
}

void check_floats(MmaForm const& f, std::string const& type, std::string const& accumulator,
                  Draw const& factor, Draw const& c) {
  auto in = drawn(f, factor, c);
  for (Isa const isa : sets) {
    auto d = run_mma(f, in, isa);
    for (int row = 0; row < f.m; ++row)
      for (int column = 0; column < f.n; ++column) {
        float sum = number(accumulator, in[0].c.at({row, column}));
        for (int k = 0; k < f.k; ++k)
          sum += number(type, in[0].a.at({row, k})) * number(type, in[0].b.at({k, column}));
        u32 const word = std::isnan(sum) ? 0x7fffffff : std::bit_cast<u32>(sum);
        INFO(f.words << " row " << row << " column " << column);
        REQUIRE(d[0].at({row, column}) == (accumulator == "f16" ? u32{half_of(sum)} : word));
      }
  }
}

s64 integer_of(u32 bits, int width, bool is_signed) {
  u32 const value = low_bits(bits, width);
  return is_signed && (value >> (width - 1)) != 0 ? s64{value} - (s64{1} << width) : s64{value};
}

struct FloatForm {
  int k;
  std::string type, accumulator;
};
FloatForm const float_forms[] = {{16, "f16", "f32"},  {16, "f16", "f16"}, {8, "bf16", "f32"},
                                 {16, "bf16", "f32"}, {4, "tf32", "f32"}, {8, "tf32", "f32"}};

} // namespace

TEST_CASE("products are summed in single precision, in the order of k") {
  std::mt19937 random(1);
  for (FloatForm const& form : float_forms) {
    int const k = form.k;
    std::string const &type = form.type, &accumulator = form.accumulator;
    MmaForm const f = m16n8(fmt::format("m16n8k{0}.row.col.{2}.{1}.{1}.{2}", k, type, accumulator), k,
                            type == "tf32" ? 32 : 16, accumulator == "f16" ? 16 : 32);
    auto const drawn_bits = [&](std::string const& as, u32 modulus) {
      float const v = static_cast<float>(random() % modulus) / 997.0f - 2.0f;
      u32 const bits = std::bit_cast<u32>(v);
      return as == "f16" ? u32{half_of(v)} : as == "bf16" ? bits >> 16 : bits;
    };
    check_floats(
        f, type, accumulator, [&] { return drawn_bits(type, 4001); },
        [&] { return drawn_bits(accumulator, 100003); });
    Draw const any = [&] { // infinities, NaN and subnormal numbers
      u32 const bits = static_cast<u32>(random());
      return type == "tf32" ? bits : bits & 0xffff;
    };
    for (int round = 0; round < 3; ++round)
      check_floats(f, type, accumulator, any, [&] {
        return accumulator == "f16" ? static_cast<u32>(random()) & 0xffff : static_cast<u32>(random());
      });
  }
}

TEST_CASE("products of integers are exact; sums wrap around or are clamped") {
  std::mt19937 random(2);
  struct Size {
    int k, bits;
  };
  for (auto const [k, bits] : {Size{16, 8}, Size{32, 8}, Size{32, 4}, Size{64, 4}})
    for (int const kind : {0, 1, 2, 3, 4, 5, 6, 7}) {
      bool const a_signed = (kind & 1) != 0, b_signed = (kind & 2) != 0, clamps = (kind & 4) != 0;
      MmaForm const f =
          m16n8(fmt::format("m16n8k{}.row.col{}.s32.{}{}.{}{}.s32", k, clamps ? ".satfinite" : "",
                            a_signed ? "s" : "u", bits, b_signed ? "s" : "u", bits),
                k, bits);
      auto in = drawn(
          f, [&] { return static_cast<u32>(random()); },
          [&] {
            u32 const near = static_cast<u32>(random()) % 80000;
            return random() % 2 == 0 ? 0x7fffffff - near : 0x80000000 + near;
          });
      for (Isa const isa : sets) {
        auto d = run_mma(f, in, isa);
        for (int row = 0; row < f.m; ++row)
          for (int column = 0; column < f.n; ++column) {
            s64 sum = integer_of(in[0].c.at({row, column}), 32, true);
            for (int i = 0; i < k; ++i)
              sum += integer_of(in[0].a.at({row, i}), bits, a_signed) *
                     integer_of(in[0].b.at({i, column}), bits, b_signed);
            if (clamps) sum = std::clamp(sum, s64{INT32_MIN}, s64{INT32_MAX});
            INFO(f.words << " row " << row << " column " << column);
            REQUIRE(d[0].at({row, column}) == static_cast<u32>(sum));
          }
      }
    }
}

TEST_CASE("products of bits count those that differ, or those that are set in both") {
  std::mt19937 random(3);
  Draw const any = [&] { return static_cast<u32>(random()); };
  for (int const k : {128, 256})
    for (bool const differing : {true, false}) {
      MmaForm const f =
          m16n8(fmt::format("m16n8k{}.row.col.s32.b1.b1.s32.{}.popc", k, differing ? "xor" : "and"), k, 1);
      auto in = drawn(f, any, any);
      for (Isa const isa : sets) {
        auto d = run_mma(f, in, isa);
        for (int row = 0; row < f.m; ++row)
          for (int column = 0; column < f.n; ++column) {
            u32 sum = in[0].c.at({row, column});
            for (int i = 0; i < k; ++i) {
              u32 const a = in[0].a.at({row, i}) & 1, b = in[0].b.at({i, column}) & 1;
              sum += differing ? a ^ b : a & b;
            }
            INFO(f.words << " row " << row << " column " << column);
            REQUIRE(d[0].at({row, column}) == sum);
          }
      }
    }
}

TEST_CASE("doubles: fma in the order of k, in each rounding mode, and through wmma") {
  struct Mode {
    char const* name;
    int host;
  };
  std::mt19937_64 random(4);
  auto const draw = [&] { return static_cast<double>(random() >> 11) * 0x1p-50 - 4; };
  std::vector<double> a(32), b(32), c(64);
  for (auto* const m : {&a, &b, &c})
    std::ranges::generate(*m, draw);
  for (auto const [name, host] :
       {Mode{"", FE_TONEAREST}, Mode{".rn", FE_TONEAREST}, Mode{".rz", FE_TOWARDZERO},
        Mode{".rm", FE_DOWNWARD}, Mode{".rp", FE_UPWARD}})
    for (bool const wmma : {false, true})
      for (Isa const isa : sets) {
        // A row by row, B column by column, C and D row by row: the lanes' own elements, and as wmma has them.
        std::string const product =
            wmma ? fmt::format(
                       "wmma.load.a.sync.aligned.row.m8n8k4.f64 {{%a}}, [%p0], 4;"
                       "wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {{%b}}, [%p1];"
                       "wmma.load.c.sync.aligned.row.m8n8k4.f64 {{%c0, %c1}}, [%p2];"
                       "wmma.mma.sync.aligned.row.col.m8n8k4{}.f64.f64.f64.f64 {{%d0, %d1}}, {{%a}}, {{%b}}, "
                       "{{%c0, %c1}}; wmma.store.d.sync.aligned.row.m8n8k4.f64 [%p3], {{%d0, %d1}}, 8;",
                       name)
                 : fmt::format(
                       "ld.global.f64 %a, [%q0]; ld.global.f64 %b, [%q1]; ld.global.v2.f64 {{%c0, %c1}}, "
                       "[%q2];"
                       "mma.sync.aligned.m8n8k4.row.col{}.f64.f64.f64.f64 {{%d0, %d1}}, {{%a}}, {{%b}}, "
                       "{{%c0, %c1}}; st.global.v2.f64 [%q3], {{%d0, %d1}};",
                       name);
        Fixture fixture(
            for_sm_80(
                ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {"
                ".reg .b64 %p<4>, %q<4>, %o; .reg .f64 %a, %b, %c<2>, %d<2>; .reg .b32 %l;"
                "ld.param.u64 %p0, [a]; ld.param.u64 %p1, [b]; ld.param.u64 %p2, [c]; ld.param.u64 %p3, [d];"
                "mov.u32 %l, %laneid; mul.wide.u32 %o, %l, 8; add.s64 %q0, %p0, %o; add.s64 %q1, %p1, %o;"
                "add.s64 %q2, %p2, %o; add.s64 %q2, %q2, %o; add.s64 %q3, %p3, %o; add.s64 %q3, %q3, %o;\n" +
                product + " ret; }"),
            isa);
        Address const out = fixture.put(std::vector<double>(64));
        fixture.run("k", {1, 1, 1}, {32, 1, 1}, {fixture.put(a), fixture.put(b), fixture.put(c), out});
        auto const d = fixture.get<double>(out, 64);
        std::vector<double> want = c;
        std::fesetround(host);
        for (std::size_t i = 0; i < 64; ++i)
          for (std::size_t k = 0; k < 4; ++k)
            want[i] = std::fma(a[i / 8 * 4 + k], b[i % 8 * 4 + k], want[i]);
        std::fesetround(FE_TONEAREST);
        INFO(name << (wmma ? " wmma" : " mma"));
        REQUIRE(d == want);
      }
}
