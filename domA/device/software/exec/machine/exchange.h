// SPDX-License-Identifier: Apache-2.0
// Exchanges among the lanes of a warp: shfl, vote, match, redux (PTX ISA 9.7.9.6, 9.7.13.9 to 9.7.13.12).
#pragma once

#include "domA/device/software/exec/machine/warp.h"

#include <span>

namespace pegasus::software {

// Lanes that arrived together at one op.
struct Participants {
  Op const* op;
  std::byte* registers;
  std::uint32_t lanes;
};

void perform_exchange(std::span<Participants const>);

} // namespace pegasus::software
