// SPDX-License-Identifier: Apache-2.0
// The handshake's bytes: reads what a guest sent, writes what it is answered. Hostile bytes enter here;
// fuzzed. Source: frontend/protocol/handshake.h.
#pragma once

#include "frontend/protocol/handshake.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::guests {

struct Hello {
  std::uint32_t process = 0; // the guest's process id, by its own word
  std::uint32_t slots = 0;   // wanted, 0: default
  std::uint32_t arena_bytes = 0;
  std::string domain;  // empty: not named
  std::string program; // printable, for display only
};

struct Refusal {
  std::uint32_t error; // errno value
  std::string message; // what is wrong and what to do
};

[[nodiscard]] tl::expected<Hello, Refusal> parse_hello(std::span<const std::byte> packet);

// What is no printable ASCII becomes '?': for an operator's terminal, where it must not move the cursor.
[[nodiscard]] std::string printable(std::string_view text);

[[nodiscard]] pegasus_welcome make_welcome(); // magic and version set, the rest zero
[[nodiscard]] pegasus_welcome make_refusal(Refusal const& refusal);

} // namespace pegasus::guests
