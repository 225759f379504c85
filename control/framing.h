// SPDX-License-Identifier: Apache-2.0
// The control socket's framing: a 4-byte little-endian length, then a message of control.proto.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pegasus::control {

inline constexpr std::size_t max_message = std::size_t{1} << 20; // bytes
using LengthBytes = std::array<unsigned char, 4>;

// Length and body together. nullopt if `body` is longer than max_message.
[[nodiscard]] std::optional<std::string> frame(std::string_view body);
// The length of the body that follows, in bytes; the caller compares it with max_message.
[[nodiscard]] std::size_t body_length(LengthBytes const& bytes);

} // namespace pegasus::control
