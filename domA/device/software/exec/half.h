// SPDX-License-Identifier: Apache-2.0
// IEEE half precision in the scalar paths (the lane loops have a separate copy: see lanes.h).
#pragma once

#include <cstdint>

namespace pegasus::software {

[[nodiscard]] float float_of_half(std::uint16_t);
[[nodiscard]] std::uint16_t half_of(float); // to nearest even; NaN is 0x7fff

} // namespace pegasus::software
