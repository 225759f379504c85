// SPDX-License-Identifier: Apache-2.0
// The control socket's framing: a 4-byte little-endian length, then a protobuf message of at most 1 MiB.
// Source: control.proto.
#pragma once

#include "ctl/failure.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pegasus::ctl {

inline constexpr std::size_t message_max = std::size_t{1} << 20;
using LengthBytes = std::array<unsigned char, 4>;

// Length and body together. `body` must not be longer than message_max.
[[nodiscard]] Result<std::string> frame(std::string_view body);
// The length of the body that follows; fails when it is longer than message_max.
[[nodiscard]] Result<std::size_t> body_length(LengthBytes const& bytes);

} // namespace pegasus::ctl
