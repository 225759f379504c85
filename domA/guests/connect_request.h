// SPDX-License-Identifier: Apache-2.0
// The handshake's bytes: parses what a guest sent and writes the reply. Hostile bytes enter here; fuzzed.
// Source: frontend/protocol/handshake.h.
#pragma once

#include "frontend/protocol/handshake.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::guests {

struct ConnectRequest {
  pegasus_connect_kind kind = PEGASUS_CONNECT_TASK;
  std::uint32_t process = 0; // the guest's process id, as the guest reports it
  std::uint32_t slots = 0;   // wanted, 0: default
  std::uint32_t arena_bytes = 0;
  std::string domain;  // empty: not given
  std::string program; // printable, for display only
};

struct Rejection {
  std::uint32_t error; // errno value
  std::string message; // what is wrong and how to fix it
};

[[nodiscard]] tl::expected<ConnectRequest, Rejection>
parse_connect_request(std::span<std::byte const> packet);

// Replaces all but printable ASCII with '?': the text goes to an operator's terminal and must
// not move the cursor.
[[nodiscard]] std::string printable(std::string_view text);

[[nodiscard]] pegasus_connect_reply make_connect_reply(); // magic and version set, the rest zero
[[nodiscard]] pegasus_connect_reply make_rejection(Rejection const& rejection);

} // namespace pegasus::guests
