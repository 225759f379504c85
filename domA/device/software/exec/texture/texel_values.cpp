// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/texel_values.h"

#include "domA/device/software/exec/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace pegasus::software {
namespace {

using device::Texel;
using device::TexelFormat;

std::uint32_t bits_of_float(float v) { return std::bit_cast<std::uint32_t>(v); }

template <class T> T read(std::byte const* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Integers as a fraction of their largest value. The smallest of a signed type is below -1.
template <class T> std::uint32_t fraction(std::byte const* at) {
  float const v = static_cast<float>(read<T>(at)) / static_cast<float>(std::numeric_limits<T>::max());
  return bits_of_float(std::max(v, -1.0f));
}

template <class T> std::uint32_t integer(std::byte const* at) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(read<T>(at)));
}

std::uint32_t srgb(std::byte const* at) {
  double const c = std::to_integer<std::uint32_t>(*at) / 255.0;
  return bits_of_float(static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4)));
}

std::uint32_t channel(std::byte const* at, TexelFormat format, bool fractions) {
  switch (format) {
  case TexelFormat::u8:
    return fractions ? fraction<std::uint8_t>(at) : integer<std::uint8_t>(at);
  case TexelFormat::s8:
    return fractions ? fraction<std::int8_t>(at) : integer<std::int8_t>(at);
  case TexelFormat::u16:
    return fractions ? fraction<std::uint16_t>(at) : integer<std::uint16_t>(at);
  case TexelFormat::s16:
    return fractions ? fraction<std::int16_t>(at) : integer<std::int16_t>(at);
  case TexelFormat::f16:
    return bits_of_float(float_of_half(read<std::uint16_t>(at)));
  default:
    return read<std::uint32_t>(at);
  }
}

TexelValues absent_channels(bool floats) { return {0, 0, 0, floats ? bits_of_float(1.0f) : 1}; }

template <class T> T nearest_unsigned(std::uint32_t v) {
  return static_cast<T>(std::min<std::uint32_t>(v, std::numeric_limits<T>::max()));
}

template <class T> T nearest_signed(std::uint32_t v) {
  return static_cast<T>(std::clamp<std::int32_t>(static_cast<std::int32_t>(v), std::numeric_limits<T>::min(),
                                                 std::numeric_limits<T>::max()));
}

template <class T> void write(std::byte* at, T value) { std::memcpy(at, &value, sizeof value); }

} // namespace

bool reads_floats(Texel texel, device::Sampling const& sampling) {
  switch (texel.format) {
  case TexelFormat::u32:
  case TexelFormat::s32:
    return false;
  case TexelFormat::f16:
  case TexelFormat::f32:
    return true;
  default:
    return !sampling.reads_integers;
  }
}

TexelValues values_of(std::byte const* bytes, Texel texel, device::Sampling const& sampling) {
  bool const floats = reads_floats(texel, sampling);
  bool const colours = sampling.srgb && floats && texel.format == TexelFormat::u8;
  TexelValues values = absent_channels(floats);
  for (std::size_t c = 0; c < std::min<std::size_t>(texel.channels, 4); ++c) {
    std::byte const* const at = bytes + c * texel.channel_bytes();
    values[c] = colours && c < 3 ? srgb(at) : channel(at, texel.format, floats);
  }
  return values;
}

TexelValues border_of(Texel texel, device::Sampling const& sampling) {
  TexelValues values = absent_channels(reads_floats(texel, sampling));
  for (std::size_t c = 0; c < std::min<std::size_t>(texel.channels, 4); ++c)
    values[c] = bits_of_float(sampling.border[c]);
  return values;
}

void store_values(std::byte* bytes, Texel texel, TexelValues const& values) {
  for (std::size_t c = 0; c < std::min<std::size_t>(texel.channels, 4); ++c) {
    std::byte* const at = bytes + c * texel.channel_bytes();
    std::uint32_t const v = values[c];
    switch (texel.format) {
    case TexelFormat::u8:
      write(at, nearest_unsigned<std::uint8_t>(v));
      break;
    case TexelFormat::s8:
      write(at, nearest_signed<std::int8_t>(v));
      break;
    case TexelFormat::u16:
      write(at, nearest_unsigned<std::uint16_t>(v));
      break;
    case TexelFormat::s16:
      write(at, nearest_signed<std::int16_t>(v));
      break;
    case TexelFormat::f16:
      write(at, half_of(std::bit_cast<float>(v)));
      break;
    default:
      write(at, v);
    }
  }
}

} // namespace pegasus::software
