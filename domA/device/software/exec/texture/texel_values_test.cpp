// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/texel_values.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

using namespace pegasus::software;
using pegasus::device::Sampling;
using pegasus::device::Texel;
using pegasus::device::TexelFormat;

namespace {

template <class T> std::uint32_t first_of(T value, TexelFormat format, Sampling const& sampling) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof value);
  return values_of(bytes, {format, 1}, sampling)[0];
}

Sampling integers() {
  Sampling s;
  s.reads_integers = true;
  return s;
}

float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }

template <class T> T stored(std::uint32_t value, TexelFormat format) {
  std::byte bytes[sizeof(T)]{};
  store_values(bytes, {format, 1}, {value, 0, 0, 0});
  T result;
  std::memcpy(&result, bytes, sizeof result);
  return result;
}

} // namespace

TEST_CASE("integers of 8 and 16 bits are fractions of the largest") {
  for (int i = 0; i < 65536; ++i) {
    auto const u16 = static_cast<std::uint16_t>(i);
    auto const s16 = static_cast<std::int16_t>(u16);
    auto const u8 = static_cast<std::uint8_t>(i);
    auto const s8 = static_cast<std::int8_t>(u8);
    REQUIRE(number(first_of(u16, TexelFormat::u16, {})) == static_cast<float>(u16 / 65535.0));
    REQUIRE(number(first_of(s16, TexelFormat::s16, {})) == static_cast<float>(std::fmax(s16 / 32767.0, -1)));
    REQUIRE(number(first_of(u8, TexelFormat::u8, {})) == static_cast<float>(u8 / 255.0));
    REQUIRE(number(first_of(s8, TexelFormat::s8, {})) == static_cast<float>(std::fmax(s8 / 127.0, -1)));
  }
  CHECK(number(first_of<std::uint8_t>(255, TexelFormat::u8, {})) == 1);
  CHECK(number(first_of<std::int8_t>(-128, TexelFormat::s8, {})) == -1);
  CHECK(number(first_of<std::int16_t>(-32768, TexelFormat::s16, {})) == -1);
}

TEST_CASE("elements are extended to 32 bits") {
  CHECK(first_of<std::uint8_t>(200, TexelFormat::u8, integers()) == 200);
  CHECK(first_of<std::int8_t>(-3, TexelFormat::s8, integers()) == 0xfffffffd);
  CHECK(first_of<std::uint16_t>(65535, TexelFormat::u16, integers()) == 65535);
  CHECK(first_of<std::int16_t>(-2, TexelFormat::s16, integers()) == 0xfffffffe);
  CHECK(first_of<std::uint32_t>(0x89abcdef, TexelFormat::u32, {}) == 0x89abcdef); // never fractions
  CHECK(first_of<std::int32_t>(-5, TexelFormat::s32, {}) == 0xfffffffb);
  CHECK(first_of<float>(1.5f, TexelFormat::f32, integers()) == std::bit_cast<std::uint32_t>(1.5f));
  CHECK(number(first_of<std::uint16_t>(0x3e00, TexelFormat::f16, {})) == 1.5f);
  CHECK(number(first_of<std::uint16_t>(0x0001, TexelFormat::f16, {})) == 0x1p-24f);
  CHECK(std::isnan(number(first_of<std::uint16_t>(0x7e00, TexelFormat::f16, {}))));
}

TEST_CASE("absent channels are 0, 0 and 1") {
  std::byte const bytes[16]{std::byte{7}, std::byte{8}, std::byte{9}, std::byte{10}};
  CHECK(values_of(bytes, {TexelFormat::u8, 1}, integers()) == TexelValues{7, 0, 0, 1});
  CHECK(values_of(bytes, {TexelFormat::u8, 2}, integers()) == TexelValues{7, 8, 0, 1});
  CHECK(values_of(bytes, {TexelFormat::u8, 4}, integers()) == TexelValues{7, 8, 9, 10});
  CHECK(values_of(bytes + 4, {TexelFormat::f32, 2}, {}) == TexelValues{0, 0, 0, 0x3f800000});
  Sampling s;
  s.border = {1, 2, 3, 4};
  CHECK(border_of({TexelFormat::f32, 2}, s) == TexelValues{0x3f800000, 0x40000000, 0, 0x3f800000});
}

TEST_CASE("sRGB is decoded in colours alone") {
  Sampling s;
  s.srgb = true;
  std::byte const bytes[]{std::byte{0}, std::byte{188}, std::byte{255}, std::byte{188}};
  TexelValues const v = values_of(bytes, {TexelFormat::u8, 4}, s);
  CHECK(number(v[0]) == 0);
  CHECK(std::fabs(number(v[1]) - 0.502886f) < 1e-6f);
  CHECK(number(v[2]) == 1);
  CHECK(number(v[3]) == static_cast<float>(188 / 255.0));
  CHECK(std::fabs(number(first_of<std::uint8_t>(10, TexelFormat::u8, s)) - 10 / 255.0f / 12.92f) < 1e-9f);
  CHECK(number(first_of<std::uint16_t>(65535, TexelFormat::u16, s)) == 1);
}

TEST_CASE("what is stored is the nearest that the format has") {
  CHECK(stored<std::uint8_t>(200, TexelFormat::u8) == 200);
  CHECK(stored<std::uint8_t>(0xffffffff, TexelFormat::u8) == 255);
  CHECK(stored<std::int8_t>(0xffffff00, TexelFormat::s8) == -128);
  CHECK(stored<std::int8_t>(300, TexelFormat::s8) == 127);
  CHECK(stored<std::uint16_t>(70000, TexelFormat::u16) == 65535);
  CHECK(stored<std::int16_t>(0x80000000, TexelFormat::s16) == -32768);
  CHECK(stored<std::uint16_t>(std::bit_cast<std::uint32_t>(1.5f), TexelFormat::f16) == 0x3e00);
  CHECK(stored<float>(std::bit_cast<std::uint32_t>(1.5f), TexelFormat::f32) == 1.5f);
  CHECK(stored<std::uint32_t>(0x89abcdef, TexelFormat::s32) == 0x89abcdef);
}
