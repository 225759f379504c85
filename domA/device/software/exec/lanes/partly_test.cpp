// SPDX-License-Identifier: Apache-2.0
// Handlers with some inactive lanes and in every rounding mode, compared with their own results in whole
// warps: active lanes get the same result, the others keep their value. On every instruction set.
#include "domA/device/software/exec/handler_table.h"
#include "domA/device/software/exec/machine/warp.h"

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

using namespace pegasus::software;

namespace {

struct Row {
  char const* key;
  std::uint32_t d, a; // bytes of the destination and of the first source
  bool in_place;      // the destination may be the first source
  char rounds = ' ';  // f, d: the precision of a rounded result
};
// One to four sources; destinations of 16, 32 and 64 bits; with and without a masked loop.
constexpr Row rows[] = {
    {"neg.s16", 2, 2, true},          {"min.s16", 2, 2, true},
    {"mad.hi.u16", 2, 2, true},       {"shl.b16", 2, 2, true},
    {"add.f16", 2, 2, true},          {"fma.ftz.sat.f16", 2, 2, true},
    {"cvt.u16.u32", 2, 4, false},     {"cvt.sat.s8.s32", 2, 4, false},
    {"cvt.rni.u8.f32", 2, 4, false},  {"cvt.sat.f16.f32", 2, 4, false},
    {"add.b32", 4, 4, true},          {"mad.lo.b32", 4, 4, true},
    {"mul.hi.u32", 4, 4, true},       {"div.s32", 4, 4, true},
    {"bfe.s32", 4, 4, true},          {"bfi.b32", 4, 4, true},
    {"prmt.f4e.b32", 4, 4, true},     {"lop3.b32", 4, 4, true},
    {"fma.sat.f16x2", 4, 4, true},    {"cos.approx.f32", 4, 4, true},
    {"cvt.s32.s8", 4, 2, false},      {"cvt.rmi.ftz.s32.f32", 4, 4, true},
    {"cvt.u32.u64", 4, 8, false},     {"selp.b32", 4, 4, true},
    {"add.f32", 4, 4, true, 'f'},     {"sub.sat.f32", 4, 4, true},
    {"div.f32", 4, 4, true, 'f'},     {"fma.f32", 4, 4, true, 'f'},
    {"sqrt.f32", 4, 4, true, 'f'},    {"cvt.f32.u64", 4, 8, false, 'f'},
    {"cvt.f32.s32", 4, 4, true, 'f'}, {"cvt.f32.f64", 4, 8, false, 'f'},
    {"mul.wide.s32", 8, 4, false},    {"rem.u64", 8, 8, true},
    {"bfi.b64", 8, 8, true},          {"pack4.b64", 8, 2, false},
    {"cvt.rzi.u64.f64", 8, 8, true},  {"add.f64", 8, 8, true, 'd'},
    {"rcp.f64", 8, 8, true, 'd'},     {"fma.f64", 8, 8, true, 'd'},
    {"cvt.f64.s64", 8, 8, true, 'd'},
};

using Register = std::array<std::byte, 8 * lanes_per_warp>;
struct alignas(64) Registers {
  Register d, a, b, c, e;
};
constexpr std::uint32_t offset_of(std::uint32_t index) {
  return index * static_cast<std::uint32_t>(sizeof(Register));
}

// Values whose sums, quotients, roots and conversions are inexact in the precision of the row.
Registers sources(Row const& row) {
  Registers r;
  std::memset(&r, 0x5a, sizeof r);
  Register* const all[] = {&r.a, &r.b, &r.c, &r.e};
  std::uint64_t state = 1;
  for (std::uint32_t k = 0; k < 4; ++k)
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      std::uint64_t bits = state >> 7;
      std::string const key = row.key;
      double const value = (1.1 + static_cast<double>(state >> 40) / 0x1p22) / (k == 0 ? 1 : 700);
      bool const of_integer = key.ends_with(".s32") || key.ends_with(".s64") || key.ends_with(".u64");
      if (row.rounds != ' ' && !of_integer)
        bits = row.a == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                          : std::bit_cast<std::uint64_t>(value);
      if (row.rounds != ' ' && of_integer)
        bits = (row.a == 4 ? std::uint64_t{0x40000001} : std::uint64_t{0x4000000000000001}) | (bits & 0xff0);
      std::memcpy(all[k]->data() + i * row.a, &bits, row.a);
    }
  return r;
}

Register run(Handler fn, Row const& row, Round round, std::uint32_t active, bool in_place) {
  Registers r = sources(row);
  Warp w;
  w.registers = reinterpret_cast<std::byte*>(&r);
  w.active = w.mask = active;
  w.full = active == all_lanes;
  Op op;
  op.d = offset_of(in_place ? 1 : 0);
  op.a = offset_of(1);
  op.b = offset_of(2);
  op.c = offset_of(3);
  op.e = offset_of(4);
  op.imm = 0x96;
  op.round = round;
  REQUIRE(fn(w, op) == &op + 1);
  CHECK(w.full == (active == all_lanes));
  CHECK(w.active == active);
  CHECK(op.round == round);
  return in_place ? r.a : r.d;
}

template <class T> T value(Register const& r, std::uint32_t lane) {
  T v;
  std::memcpy(&v, r.data() + lane * sizeof(T), sizeof v);
  return v;
}
template <class T> void check_rounding(std::array<Register, 4> const& by_round) {
  auto const& [nearest, zero, down, up] = by_round;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    T const low = value<T>(down, i), high = value<T>(up, i), middle = value<T>(nearest, i);
    CHECK(low < high);
    CHECK((middle == low || middle == high));
    CHECK(value<T>(zero, i) == low);
  }
}

} // namespace

TEST_CASE("a warp in part does what a whole one does, in its active lanes") {
  Isa const isa = GENERATE(Isa::avx512, Isa::avx2, Isa::baseline);
  for (Row const& row : rows) {
    INFO(row.key << " on instruction set " << static_cast<int>(isa));
    Handler const fn = find_handler(row.key, isa);
    REQUIRE(fn != nullptr);
    std::array<Register, 4> whole;
    for (Round const round : {Round::nearest, Round::zero, Round::down, Round::up}) {
      Register& expected = whole[static_cast<std::size_t>(round)];
      expected = run(fn, row, round, all_lanes, false);
      for (std::uint32_t const active : {0x80000000u, 1u, 0x0000ffffu, 0xa5a5f00fu})
        for (bool const in_place : {false, true}) {
          if (in_place && !row.in_place) continue;
          Registers const before = sources(row);
          Register const& old = in_place ? before.a : before.d;
          Register const got = run(fn, row, round, active, in_place);
          for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
            INFO("lane " << i << " of " << std::hex << active << ", round " << static_cast<int>(round));
            std::byte const* const want = ((active >> i & 1) != 0 ? expected : old).data() + i * row.d;
            CHECK(std::memcmp(got.data() + i * row.d, want, row.d) == 0);
          }
        }
    }
    if (row.rounds == 'f') check_rounding<float>(whole);
    if (row.rounds == 'd') check_rounding<double>(whole);
  }
}
