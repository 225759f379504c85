// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace pegasus::state {

// Of state.proto, and of what the fields mean. A field that comes or goes does not change it: see
// policies/state_visitor.h. One whose meaning changes does, and another version is refused.
inline constexpr std::uint32_t version = 1;

} // namespace pegasus::state
