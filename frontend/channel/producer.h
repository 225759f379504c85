// SPDX-License-Identifier: Apache-2.0
// The guest's half of the rings and the arena, without waiting and without a lock: reserves a slot and
// arena bytes, publishes requests, takes replies. frontend/protocol/channel.h defines which side
// writes which field.
//
// Memory is released in the order of the requests: a slot and its arena bytes are free again when the request
// and all before it are completed and, if it was synchronous, its reply was taken.
#pragma once

#include "frontend/channel/layout.h"
#include "frontend/protocol/channel.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace pegasus::frontend {

struct Reservation {
  std::uint32_t sequence = 0;
  std::uint32_t data_offset = 0;
  std::span<std::byte> data; // in the arena
};

class Producer {
public:
  // `memory` is a whole call buffer with this layout (layout_of).
  Producer(std::byte* memory, Layout const& layout);

  // Returns false if no slot or no arena space is free now. data_bytes <= max_data_bytes(). One thread at a
  // time, until publish().
  [[nodiscard]] bool reserve(std::size_t data_bytes, Reservation& reservation);
  // The `body` parts are concatenated; together they are at most PEGASUS_REQUEST_BODY bytes.
  void publish(Reservation const& reservation, std::uint16_t call, std::span<std::byte const> body,
               std::span<std::byte const> tail, bool expects_reply);

  // Any thread: checks whether the reply has come; copies it; releases its slot and arena bytes.
  [[nodiscard]] bool answered(std::uint32_t sequence) const;
  [[nodiscard]] pegasus_reply reply(std::uint32_t sequence) const;
  void release(std::uint32_t sequence);

  [[nodiscard]] pegasus_channel_header& header() const { return *header_; }
  [[nodiscard]] std::size_t max_data_bytes() const { return arena_.size() / 4; }

private:
  struct Own {                          // what we know of a slot's last request
    std::uint64_t arena_end = 0;        // arena_head_ after it
    std::atomic<bool> expecting{false}; // its reply was not taken yet
    std::uint8_t written = 0;           // bytes of its body
  };

  void learn_completed(std::uint32_t sequence);
  void retire(std::uint32_t completed);
  [[nodiscard]] bool place(std::size_t bytes, std::uint32_t& offset, std::uint64_t& end) const;

  pegasus_channel_header* header_;
  std::span<pegasus_request> requests_;
  std::span<pegasus_reply> replies_;
  std::span<std::byte> arena_;
  std::uint32_t mask_;

  std::uint32_t next_ = 1;    // sequence of the next request
  std::uint32_t retired_ = 0; // everything up to here is free again
  std::uint64_t arena_head_ = 0,
                arena_tail_ = 0; // positions in an endless arena; modulo its size: the offset
  std::unique_ptr<Own[]> own_;   // per slot
  std::atomic<std::uint32_t> known_completed_ = 0; // learnt from replies; saves reading the worker's line
};

} // namespace pegasus::frontend
