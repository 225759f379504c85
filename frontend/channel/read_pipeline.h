// SPDX-License-Identifier: Apache-2.0
// A copy to the host in progress: the pieces that were requested and not yet copied out, oldest first.
#pragma once

#include "frontend/channel/piece_cutter.h"
#include "frontend/channel/request_queue.h"

#include <array>

namespace pegasus::frontend {

class ReadPipeline {
public:
  ReadPipeline(RequestQueue& requests, std::uint64_t stream, std::byte* target, std::uint64_t target_pitch)
      : requests_(requests), stream_(stream), target_(target), target_pitch_(target_pitch) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == waiting_.size(); }

  // With pieces outstanding, waits neither for space nor for a thread that waits for space: the arena may be
  // full of this pipeline's own replies. Returns false if it would wait; if empty, if the channel is dead.
  [[nodiscard]] bool ask(Piece const& piece);

  // Waits for the oldest piece and copies it out. Returns a CUresult. Prints nothing: with pieces outstanding
  // it must not wait for a thread that waits for space.
  [[nodiscard]] int collect();

  // Of all replies: what they reported besides the data. To be handled when the pipeline is empty.
  [[nodiscard]] std::uint32_t reply_flags() const { return reply_flags_; }

private:
  struct Waiting {
    Piece piece;
    Reservation reservation;
  };
  RequestQueue& requests_;
  std::uint64_t stream_;
  std::byte* target_;
  std::uint64_t target_pitch_;
  std::array<Waiting, 8> waiting_{}; // from first_ on
  std::size_t first_ = 0, count_ = 0;
  std::uint32_t reply_flags_ = 0;
};

} // namespace pegasus::frontend
