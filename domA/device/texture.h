// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces, as CUDA's driver API has them (CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC,
// CUDA_TEXTURE_DESC). Whoever fills these from a request has checked that each enumeration is in its range.
#pragma once

#include <array>
#include <cstdint>

namespace pegasus::device {

// Values are CUarray_format's.
enum class TexelFormat : std::uint8_t {
  u8 = 0x01,
  u16 = 0x02,
  u32 = 0x03,
  s8 = 0x08,
  s16 = 0x09,
  s32 = 0x0a,
  f16 = 0x10,
  f32 = 0x20,
};

struct Texel {
  TexelFormat format = TexelFormat::f32;
  std::uint8_t channels = 1; // 1, 2 or 4

  // Of one channel.
  [[nodiscard]] constexpr std::uint32_t channel_bytes() const {
    switch (format) {
    case TexelFormat::u8:
    case TexelFormat::s8:
      return 1;
    case TexelFormat::u16:
    case TexelFormat::s16:
    case TexelFormat::f16:
      return 2;
    case TexelFormat::u32:
    case TexelFormat::s32:
    case TexelFormat::f32:
      return 4;
    }
    return 4;
  }
  [[nodiscard]] constexpr std::uint32_t bytes() const { return channel_bytes() * channels; }
};

// In texels. An array of one dimension has height 0, one of two depth 0. `depth` of a layered array is its layers, of a
// cubemap 6, of a layered cubemap 6 for each layer.
struct ArrayShape {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t depth = 0;
  Texel texel{};
  bool layered = false;
  bool cubemap = false;
  bool surface = false; // CUDA_ARRAY3D_SURFACE_LDST
  bool gather = false;  // CUDA_ARRAY3D_TEXTURE_GATHER
  std::uint32_t levels = 1;
};

// Values are CUaddress_mode's and CUfilter_mode's.
enum class AddressMode : std::uint8_t { wrap = 0, clamp = 1, mirror = 2, border = 3 };
enum class Filter : std::uint8_t { point = 0, linear = 1 };

// What a texture reads: an array, or memory of which it is told here what is in it.
struct TextureSource {
  enum class Kind : std::uint8_t { level = 1, mipmap = 2, linear = 3, pitched = 4 };
  Kind kind = Kind::level;
  std::uint64_t address = 0; // level: of one level of an array; mipmap: of an array
  std::uint64_t bytes = 0;   // linear
  std::uint64_t pitch = 0;   // pitched: bytes from one row to the next, as the next two
  std::uint64_t width = 0, height = 0;
  Texel texel{}; // of memory
};

// How a texture is read.
struct Sampling {
  std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  Filter filter = Filter::point;
  Filter mipmap_filter = Filter::point;
  bool normalized_coordinates = false;
  bool reads_integers = false; // else 8- and 16-bit integers are read as fractions of [0, 1] or [-1, 1]
  bool srgb = false;           // 8-bit channels but the fourth are sRGB
  bool seamless_cubemap = false;
  std::uint32_t max_anisotropy = 0;
  float mipmap_bias = 0;
  float mipmap_least = 0, mipmap_most = 0; // levels
  std::array<float, 4> border{};
};

} // namespace pegasus::device
