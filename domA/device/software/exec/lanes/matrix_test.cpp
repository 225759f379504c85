// SPDX-License-Identifier: Apache-2.0
// mma against plain sums. The places of elements are written here as PTX ISA 9.7.14.5 states them.
#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/test_matrices.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <random>

using namespace pegasus::software;
using namespace pegasus::software::test;
using u32 = std::uint32_t;
using s64 = std::int64_t;

namespace {

int g(int lane) { return lane / 4; }
int t(int lane) { return lane % 4; }

// Accumulators and factors of m8n8, of `bits` bits.
MmaForm m8n8(std::string words, int k, int bits) {
  int const in_word = 32 / bits;
  LaneLayout const c{2, 32, [](int lane, int i) { return At{g(lane), t(lane) * 2 + i}; }};
  return {std::move(words),
          8,
          8,
          k,
          {in_word, bits,
           [=](int lane, int i) {
             return At{g(lane), t(lane) * in_word + i};
           }},
          {in_word, bits,
           [=](int lane, int i) {
             return At{t(lane) * in_word + i, g(lane)};
           }},
          c,
          c};
}

MmaForm m16n8k8(std::string const& type) {
  LaneLayout const c{4, type == "f16" ? 16 : 32, [](int lane, int i) {
                       return At{g(lane) + i / 2 * 8, t(lane) * 2 + i % 2};
                     }};
  return {fmt::format("m16n8k8.row.col.{0}.f16.f16.{0}", type),
          16,
          8,
          8,
          {4, 16,
           [](int lane, int i) {
             return At{g(lane) + i / 2 * 8, t(lane) * 2 + i % 2};
           }},
          {2, 16,
           [](int lane, int i) {
             return At{t(lane) * 2 + i, g(lane)};
           }},
          c,
          c};
}

LaneLayout quad_accumulators(std::string const& type) {
  if (type == "f16") return {8, 16, [](int lane, int i) { return At{lane % 4 + (lane < 16 ? 0 : 4), i}; }};
  return {8, 32, [](int lane, int i) {
            int const x = (lane & 1) + (i & 2);
            return At{lane < 16 ? x : x + 4, (i & 4) + (lane & 2) + (i & 1)};
          }};
}

MmaForm m8n8k4(std::string const& a, std::string const& b, std::string const& d, std::string const& c) {
  auto const along = [](int lane, int i) { return At{lane % 4 + (lane < 16 ? 0 : 4), i}; };
  auto const across = [](int lane, int i) { return At{i + (lane < 16 ? 0 : 4), lane % 4}; };
  auto const turned = [](auto const& place) {
    return [place](int lane, int i) {
      At const at = place(lane, i);
      return At{at.column, at.row};
    };
  };
  LaneLayout of_a{4, 16, along}, of_b{4, 16, turned(along)};
  if (a == "col") of_a.place = across;
  if (b == "row") of_b.place = turned(across);
  return {fmt::format("m8n8k4.{}.{}.{}.f16.f16.{}", a, b, d, c),
          8,
          8,
          4,
          of_a,
          of_b,
          quad_accumulators(c),
          quad_accumulators(d)};
}

s64 integer_of(u32 bits, int width, bool is_signed) {
  u32 const value = low_bits(bits, width);
  return is_signed && (value >> (width - 1)) != 0 ? s64{value} - (s64{1} << width) : s64{value};
}

float float_of(u32 bits, int width) {
  return width == 16 ? float_of_half(static_cast<std::uint16_t>(bits)) : std::bit_cast<float>(bits);
}

// In single precision, in the order of k.
u32 float_sum(MmaForm const& f, Matrices& m, At place) {
  float sum = float_of(m.c.at(place), f.c.bits);
  for (int k = 0; k < f.k; ++k)
    sum += float_of(m.a.at({place.row, k}), 16) * float_of(m.b.at({k, place.column}), 16);
  if (f.d.bits == 16) return half_of(sum);
  return std::isnan(sum) ? 0x7fffffff : std::bit_cast<u32>(sum);
}

void check_floats(MmaForm const& f, Draw const& factor, Draw const& accumulator, Isa isa) {
  auto in = drawn(f, factor, accumulator);
  auto d = run_mma(f, in, isa);
  for (std::size_t p = 0; p < in.size(); ++p)
    for (int row = 0; row < f.m; ++row)
      for (int column = 0; column < f.n; ++column) {
        INFO(f.words << " product " << p << " row " << row << " column " << column);
        REQUIRE(d[p].at({row, column}) == float_sum(f, in[p], {row, column}));
      }
}

constexpr Isa sets[] = {Isa::baseline, Isa::avx2, Isa::avx512};

std::vector<MmaForm> float_forms() {
  std::vector<MmaForm> forms{m16n8k8("f32"), m16n8k8("f16")};
  for (auto const* a : {"row", "col"})
    for (auto const* b : {"row", "col"}) {
      forms.push_back(m8n8k4(a, b, "f32", "f32"));
      forms.push_back(m8n8k4(a, b, "f32", "f16"));
      forms.push_back(m8n8k4(a, b, "f16", "f16"));
    }
  return forms;
}

} // namespace

TEST_CASE("products of halves are summed in single precision, in the order of k") {
  std::mt19937 random(1);
  for (MmaForm const& f : float_forms())
    for (Isa const isa : sets) {
      Draw const number = [&] { return half_of(static_cast<float>(random() % 4001) / 997.0f - 2.0f); };
      Draw const accumulator = [&] {
        float const v = static_cast<float>(random() % 100003) / 1009.0f - 50.0f;
        return f.c.bits == 16 ? u32{half_of(v)} : std::bit_cast<u32>(v);
      };
      check_floats(f, number, accumulator, isa);
    }
}

TEST_CASE("any halves: infinities, NaN and subnormal numbers") {
  std::mt19937 random(2);
  for (MmaForm const& f : float_forms())
    for (Isa const isa : sets) {
      Draw const any = [&] {
        constexpr u32 special[] = {0x7c00, 0xfc00, 0x7e01, 0xfe00, 0x0001, 0x83ff, 0x8000, 0x7bff};
        return random() % 40 == 0 ? special[random() % 8] : static_cast<u32>(random()) & 0xbfff;
      };
      Draw const accumulator = [&] {
        if (f.c.bits == 16) return any();
        return random() % 16 == 0 ? 0xffc00001u : static_cast<u32>(random()) & 0xbfffffff;
      };
      for (int round = 0; round < 3; ++round)
        check_floats(f, any, accumulator, isa);
    }
}

TEST_CASE("products of integers are exact; sums wrap around or are clamped") {
  std::mt19937 random(3);
  for (int const bits : {8, 4})
    for (bool const a_signed : {false, true})
      for (bool const b_signed : {false, true})
        for (bool const clamps : {false, true}) {
          std::string const words =
              fmt::format("{}.row.col{}.s32.{}{}.{}{}.s32", bits == 8 ? "m8n8k16" : "m8n8k32",
                          clamps ? ".satfinite" : "", a_signed ? "s" : "u", bits, b_signed ? "s" : "u", bits);
          MmaForm const f = m8n8(words, bits == 8 ? 16 : 32, bits);
          auto in = drawn(
              f, [&] { return static_cast<u32>(random()); },
              [&] {
                u32 const near = static_cast<u32>(random()) % 40000;
                return random() % 2 == 0 ? 0x7fffffff - near : 0x80000000 + near;
              });
          for (Isa const isa : sets) {
            auto d = run_mma(f, in, isa);
            for (int row = 0; row < 8; ++row)
              for (int column = 0; column < 8; ++column) {
                s64 sum = integer_of(in[0].c.at({row, column}), 32, true);
                for (int k = 0; k < f.k; ++k)
                  sum += integer_of(in[0].a.at({row, k}), bits, a_signed) *
                         integer_of(in[0].b.at({k, column}), bits, b_signed);
                if (clamps) sum = std::clamp(sum, s64{INT32_MIN}, s64{INT32_MAX});
                INFO(words << " row " << row << " column " << column);
                REQUIRE(d[0].at({row, column}) == static_cast<u32>(sum));
              }
          }
        }
}

TEST_CASE("products of bits count those that differ") {
  std::mt19937 random(4);
  MmaForm const f = m8n8("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 128, 1);
  Draw const any = [&] { return static_cast<u32>(random()); };
  auto in = drawn(f, any, any);
  for (Isa const isa : sets) {
    auto d = run_mma(f, in, isa);
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        u32 sum = in[0].c.at({row, column});
        for (int k = 0; k < 128; ++k)
          sum += (in[0].a.at({row, k}) ^ in[0].b.at({k, column})) & 1;
        REQUIRE(d[0].at({row, column}) == sum);
      }
  }
}

TEST_CASE("results may replace operands in any order") {
  Fixture fixture(R"(.visible .entry k(.param .u64 out) { .reg .b32 %r<8>, %l; .reg .b64 %q, %o;
  mov.u32 %l, %laneid; mul.wide.u32 %o, %l, 4; ld.param.u64 %q, [out]; add.s64 %q, %q, %o;
  mov.b32 %r0, 0x02020202; mov.b32 %r1, 0x03030303;
  mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r0}, {%r0}, {%r1}, {%r0, %r1};
  st.global.b32 [%q], %r0; st.global.b32 [%q+128], %r1; ret; })");
  Address const out = fixture.put(std::vector<u32>(64));
  fixture.run("k", {1, 1, 1}, {32, 1, 1}, {out});
  auto const x = fixture.get<u32>(out, 64);
  REQUIRE(x[5] == 0x03030303 + 96);
  REQUIRE(x[37] == 0x02020202 + 96);
}
