// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/half.h"

#include <bit>

namespace pegasus::software {

float float_of_half(std::uint16_t h) {
  std::uint32_t const magnitude = h & 0x7fffu;
  std::uint32_t const finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
  std::uint32_t const bits = magnitude >= 0x7c00 ? magnitude << 13 | 0x7f800000u : finite;
  return std::bit_cast<float>(bits | (h & 0x8000u) << 16);
}

std::uint16_t half_of(float v) {
  std::uint32_t const bits = std::bit_cast<std::uint32_t>(v);
  std::uint32_t const sign = bits >> 16 & 0x8000;
  std::uint32_t const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return 0x7fff;
  if (magnitude >= 0x47800000) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal: the addition rounds
    std::uint32_t const sum = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f);
    return static_cast<std::uint16_t>(sign | (sum - 0x3f000000));
  }
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

} // namespace pegasus::software
