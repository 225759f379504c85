// SPDX-License-Identifier: Apache-2.0
// The worker's half of a call buffer: copies one request, checks the copy, writes one reply. Hostile
// bytes enter here: nothing read from the shared pages is used before it is copied and checked, and
// nothing is read twice.
#pragma once

#include "frontend/protocol/channel.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace pegasus::ring {

// The layout of a call buffer as pegasusd made it. The guest's copy in the header is never trusted.
struct Geometry {
  std::uint32_t slots = 0;
  std::uint32_t arena_bytes = 0;
  std::uint32_t request_offset = 0;
  std::uint32_t reply_offset = 0;
  std::uint32_t arena_offset = 0;
  std::uint32_t total_bytes = 0;
};

// The layout for the given sizes (0: default), clamped to the protocol's limits; slots are
// rounded up to a power of two.
[[nodiscard]] Geometry geometry_for(std::uint32_t slots, std::uint32_t arena_bytes);
// Writes the header's constants and the "previous lap" sequence of each slot. `memory` must be zeroed.
void initialize(std::byte* memory, Geometry const& geometry,
                std::uint32_t version = PEGASUS_PROTOCOL_VERSION);

class RequestRing {
public:
  RequestRing(std::byte* memory, Geometry const& geometry);

  enum class Poll { empty, ready, broken };
  // Tests for a request. broken: the slot holds a sequence that no correct guest writes; close the channel.
  [[nodiscard]] Poll peek() const;
  // The number of consecutive requests that are ready; at most the ring's slots.
  [[nodiscard]] std::uint32_t waiting() const;
  // After peek() returned ready: our private copy of the request. Returns false if its data range lies
  // outside the arena; close the channel.
  [[nodiscard]] bool take(pegasus_request& request);

  // The arena bytes that a checked request names. The guest may still change them: copy what must not change.
  [[nodiscard]] std::span<std::byte> data(pegasus_request const& request) const;

  void reply(std::uint32_t sequence, std::int32_t status, std::uint32_t flags,
             std::span<std::byte const> body);
  // Returns the slot and its data to the guest; call after reply().
  void complete(std::uint32_t sequence);

  [[nodiscard]] pegasus_channel_header& header() const { return *header_; }

private:
  pegasus_channel_header* header_;
  std::span<pegasus_request> requests_;
  std::span<pegasus_reply> replies_;
  std::span<std::byte> arena_;
  std::uint32_t mask_;
  std::uint32_t expected_ = 1;
  bool of_version_1_; // as the header says: a guest that changes it there confuses its own calls alone
};

} // namespace pegasus::ring
