// SPDX-License-Identifier: Apache-2.0
// What a texel's bytes are in a kernel's registers, and the reverse.
#pragma once

#include "domA/device/texture.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace pegasus::software {

// The four registers of a fetch: floats' bits or integers.
using TexelValues = std::array<std::uint32_t, 4>;

// Whether a fetch returns floats, which alone can be filtered. Integers of 32 bits are never read as fractions.
[[nodiscard]] bool reads_floats(device::Texel, device::Sampling const&);

// Channels that the texel does not have read as 0, the fourth as 1.
[[nodiscard]] TexelValues values_of(std::byte const* bytes, device::Texel, device::Sampling const&);
// The border's colour: for integers, their bits.
[[nodiscard]] TexelValues border_of(device::Texel, device::Sampling const&);

// sust.p: registers to a texel, integers to the nearest that the format has.
void store_values(std::byte* bytes, device::Texel, TexelValues const&);

} // namespace pegasus::software
