// SPDX-License-Identifier: Apache-2.0
// The handshake's bytes: parses what a guest sent and writes the reply. Hostile bytes enter here; fuzzed.
// Source: frontend/protocol/handshake.h, and PROTOCOL.md, "Versions".
#pragma once

#include "frontend/protocol/channel.h"
#include "frontend/protocol/handshake.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace pegasus::guests {

// What is spoken with one guest. By default, what is spoken with every guest.
struct Agreement {
  std::uint32_t version = PEGASUS_PROTOCOL_OLDEST;
  std::uint32_t features = 0;
};

struct ConnectRequest {
  Agreement agreement;
  pegasus_connect_kind kind = PEGASUS_CONNECT_TASK;
  std::uint32_t process = 0; // the guest's process id, as the guest reports it
  std::uint32_t slots = 0;   // wanted, 0: default
  std::uint32_t arena_bytes = 0;
  std::string domain;  // empty: not given
  std::string program; // printable, for display only
};

struct Rejection {
  std::uint32_t error;   // errno value
  std::string message;   // what is wrong and how to fix it
  Agreement agreement{}; // of the reply that says so
};

// Those of a guest, or of this pegasusd.
struct Versions {
  std::uint32_t oldest;
  std::uint32_t newest;
};
inline constexpr Versions spoken_here{PEGASUS_PROTOCOL_OLDEST, PEGASUS_PROTOCOL_VERSION};
inline constexpr std::uint32_t features_here = PEGASUS_FEATURE_HOST_WINDOW;

// The newest that both speak.
[[nodiscard]] std::optional<std::uint32_t> common_version(Versions guest, Versions here);
// What an operator is told if there is none: both ranges, and which side is to be upgraded.
[[nodiscard]] std::string no_common_version(Versions guest, Versions here);

[[nodiscard]] tl::expected<ConnectRequest, Rejection>
parse_connect_request(std::span<std::byte const> packet);

// Replaces all but printable ASCII with '?': the text goes to an operator's terminal and must
// not move the cursor.
[[nodiscard]] std::string printable(std::string_view text);

[[nodiscard]] pegasus_connect_reply make_connect_reply(Agreement agreement = {}); // the rest is zero
[[nodiscard]] pegasus_connect_reply make_rejection(Rejection const& rejection);
// Enters what was agreed into a reply that does not say it yet.
void agree(pegasus_connect_reply& connect_reply, Agreement agreement);
// How much of it a guest of that version expects.
[[nodiscard]] std::span<std::byte const> bytes_of(pegasus_connect_reply const& connect_reply);

} // namespace pegasus::guests
