// SPDX-License-Identifier: Apache-2.0
// bf16 against exact arithmetic in a wider format, and the conversions of compute capability 8.0.
#include "domA/device/software/exec/half.h"
#include "domA/device/software/exec/test_fixture.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fmt/format.h>
#include <random>

using namespace pegasus::software;
using namespace pegasus::software::test;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

using Rows = std::vector<std::array<u64, 3>>;

float wide(u64 bf) { return std::bit_cast<float>(static_cast<u32>(bf) << 16); }

// The bf16 nearest to an exact number, ties to even, by the distances to both neighbours.
u16 nearest(__float128 v) {
  if (v != v) return 0x7fff;
  u16 const sign = __builtin_signbit(static_cast<double>(v)) != 0 ? 0x8000 : 0;
  __float128 const magnitude = v < 0 ? -v : v;
  u32 low = 0, high = 0x7f80; // low <= magnitude < high
  if (magnitude >= static_cast<__float128>(0x1p128)) return static_cast<u16>(sign | 0x7f80);
  while (high - low > 1) {
    u32 const middle = (low + high) / 2;
    (static_cast<__float128>(wide(middle)) <= magnitude ? low : high) = middle;
  }
  __float128 const above =
      high == 0x7f80 ? static_cast<__float128>(0x1p128) : static_cast<__float128>(wide(high));
  __float128 const down = magnitude - wide(low), up = above - magnitude;
  bool const take_high = up < down || (up == down && (low & 1) != 0);
  return static_cast<u16>(sign | (take_high ? high : low));
}

// Inputs of all magnitudes, and pairs near each other.
Rows drawn(u32 count) {
  std::mt19937 random(1);
  constexpr u64 special[] = {0, 0x8000, 0x7f80, 0xff80, 0x7fc1, 0xffc1,
                             1, 0x8001, 0x7f7f, 0xff7f, 0x80,   0x3f80};
  Rows rows;
  for (u32 i = 0; i < count; ++i) {
    auto const any = [&]() -> u64 { return random() % 8 == 0 ? special[random() % 12] : random() & 0xffff; };
    auto const near_one = [&]() -> u64 { return (random() & 0x80ff) + 0x3f00 + random() % 8 * 128; };
    rows.push_back(i % 2 == 0 ? std::array{any(), any(), any()}
                              : std::array{near_one(), near_one(), near_one()});
  }
  return rows;
}

constexpr Isa sets[] = {Isa::baseline, Isa::avx2, Isa::avx512};

void check(std::string const& code, char const* type, Rows const& rows,
           u64 expected(std::array<u64, 3> const&)) {
  for (Isa const isa : sets)
    for (std::size_t first = 0; first < rows.size(); first += 512) {
      Rows const part(rows.begin() + static_cast<std::ptrdiff_t>(first),
                      rows.begin() + static_cast<std::ptrdiff_t>(std::min(first + 512, rows.size())));
      std::string const from = type;
      auto const d = run_snippet({code, "b16", from, from, from, 80}, part, isa);
      for (std::size_t i = 0; i < part.size(); ++i) {
        INFO(fmt::format("{} {:#x} {:#x} {:#x}", code, part[i][0], part[i][1], part[i][2]));
        REQUIRE(d[i] == expected(part[i]));
      }
    }
}

u64 exact_fma(std::array<u64, 3> const& in) {
  float const a = wide(in[0]), b = wide(in[1]), c = wide(in[2]);
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) {
    double const v = static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c);
    return std::isnan(v) ? 0x7fff : v < 0 ? 0xff80 : 0x7f80;
  }
  double const product = static_cast<double>(a) * static_cast<double>(b); // exact
  __float128 sum = static_cast<__float128>(product) + c;
  // Too far apart for 113 bits, c only breaks a tie, which the product can be.
  if (sum == product && c != 0)
    sum += static_cast<__float128>(std::copysign(product * 0x1p-40, static_cast<double>(c)));
  if (sum == 0) return product + c == 0 && std::signbit(product + static_cast<double>(c)) ? 0x8000 : 0;
  return nearest(sum);
}

bool is_nan(u64 bf) { return (bf & 0x7fff) > 0x7f80; }
u64 clamped(u64 bf) { return !is_nan(bf) && (bf & 0x8000) != 0 ? 0 : bf; }
u64 smaller(std::array<u64, 3> const& in) {
  if (is_nan(in[0])) return is_nan(in[1]) ? 0x7fff : in[1];
  if (is_nan(in[1])) return in[0];
  if (wide(in[0]) == wide(in[1])) return in[0] | in[1];
  return wide(in[0]) < wide(in[1]) ? in[0] : in[1];
}

} // namespace

TEST_CASE("fma of bf16 has one rounding") {
  check("fma.rn.bf16 %d, %a, %b, %c;", "b16", drawn(8192), exact_fma);
  check("fma.rn.relu.bf16 %d, %a, %b, %c;", "b16", drawn(1024),
        [](auto const& in) { return clamped(exact_fma(in)); });
}

TEST_CASE("minimum, maximum and sign of bf16") {
  check("min.bf16 %d, %a, %b;", "b16", drawn(2048), smaller);
  check("min.NaN.bf16 %d, %a, %b;", "b16", drawn(2048),
        [](auto const& in) -> u64 { return is_nan(in[0]) || is_nan(in[1]) ? 0x7fff : smaller(in); });
  check("max.bf16 %d, %a, %b;", "b16", drawn(2048), [](auto const& in) -> u64 {
    u64 const least = smaller({in[0] ^ 0x8000, in[1] ^ 0x8000, 0});
    return is_nan(least) ? 0x7fff : least ^ 0x8000;
  });
  check("neg.bf16 %d, %a;", "b16", drawn(512), [](auto const& in) { return in[0] ^ 0x8000; });
  check("abs.bf16 %d, %a;", "b16", drawn(512), [](auto const& in) { return in[0] & 0x7fff; });
}

TEST_CASE("pairs are two, and inactive lanes keep their values") {
  Rows rows(40, {0x3f804000, 0x40003f80, 0xbf80c0a0});
  auto const d = run_snippet({"mov.b32 %d, 7; .reg .pred %p; setp.ne.u32 %p, %t, 3;"
                              "@%p fma.rn.bf16x2 %d, %a, %b, %c;",
                              "b32", "b32", "b32", "b32", 80},
                             rows);
  CHECK(d[0] == 0x3f80c040); // 1 * 2 - 1, 2 * 1 - 5
  CHECK(d[39] == 0x3f80c040);
  CHECK(d[3] == 7);
}

TEST_CASE("single precision to 16 bits, and to tf32") {
  std::mt19937 random(2);
  Rows rows;
  for (u32 i = 0; i < 2048; ++i) {
    u32 const any = static_cast<u32>(random());
    u32 const special[] = {any,
                           any & 0xffff8000,
                           any & 0xff9fffff,
                           0x7f800000,
                           0xff800000,
                           0x7fc00001,
                           (any & 0x800fffff) | 0x38000000,
                           (any & 0x8fffffff) | 0x40000000};
    rows.push_back({special[random() % 8], 0, 0});
  }
  auto const single = [](u64 bits) { return std::bit_cast<float>(static_cast<u32>(bits)); };
  check("cvt.rn.bf16.f32 %d, %a;", "b32", rows, [](auto const& in) -> u64 {
    float const v = std::bit_cast<float>(static_cast<u32>(in[0]));
    return nearest(static_cast<__float128>(v));
  });
  check("cvt.rn.relu.bf16.f32 %d, %a;", "b32", rows, [](auto const& in) -> u64 {
    float const v = std::bit_cast<float>(static_cast<u32>(in[0]));
    return clamped(nearest(static_cast<__float128>(v)));
  });
  check("cvt.rz.bf16.f32 %d, %a;", "b32", rows,
        [](auto const& in) -> u64 { return (in[0] & 0x7fffffff) > 0x7f800000 ? 0x7fff : in[0] >> 16; });
  check("cvt.rn.relu.f16.f32 %d, %a;", "b32", rows, [](auto const& in) -> u64 {
    u16 const h = half_of(std::bit_cast<float>(static_cast<u32>(in[0])));
    return (h & 0x8000) != 0 && (h & 0x7fff) <= 0x7c00 ? 0 : h;
  });
  for (Isa const isa : sets) {
    auto const pair = run_snippet({"cvt.rz.f16x2.f32 %d, %a, %a;", "b32", "b32", "", "", 80},
                                  Rows(rows.begin(), rows.begin() + 512), isa);
    auto const tensor = run_snippet({"cvt.rna.tf32.f32 %d, %a;", "b32", "b32", "", "", 80},
                                    Rows(rows.begin(), rows.begin() + 512), isa);
    for (std::size_t i = 0; i < 512; ++i) {
      float const v = single(rows[i][0]);
      INFO(fmt::format("{:#x}", rows[i][0]));
      CHECK(pair[i] >> 16 == (pair[i] & 0xffff));
      if (!std::isnan(v)) CHECK(std::fabs(float_of_half(static_cast<u16>(pair[i]))) <= std::fabs(v));
      if (std::isnan(v)) {
        CHECK(tensor[i] == 0x7fffffff);
      } else if (std::isfinite(
                     v)) { // half of the last bit that is left is added to the magnitude, and the rest is cut
        CHECK(tensor[i] == ((rows[i][0] + 0x1000) & 0xffffe000));
      } else {
        CHECK(tensor[i] == rows[i][0]);
      }
    }
  }
}
