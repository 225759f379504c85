// SPDX-License-Identifier: Apache-2.0
// A hostile worker at the other end of a guest's channel. It acts whenever the guest rings or sleeps. It
// answers requests like an honest worker, except for the fuzzer's changes, and writes the fuzzer's bytes
// anywhere into the pages. Once these run out it is honest, and hangs up on a guest that still waits.
#pragma once

#include "domA/ring/request_ring.h"
#include "frontend/channel/ring_channel.h"
#include "frontend/transport/transport.h"
#include "tests/fuzz/input.h"

#include <atomic>
#include <memory>
#include <new>

namespace pegasus::fuzz {

class HostileWorker final : public frontend::Transport {
public:
  // `victim`: host memory of the program. An answer may name it as device memory.
  HostileWorker(Input& input, std::uint64_t victim);

  std::byte* memory() const override { return pages_.get(); }
  pegasus_connect_reply const& connect_reply() const override { return connect_reply_; }
  void wake(std::uint32_t*) override { act(); }
  void sleep(std::uint32_t*, std::uint32_t, std::uint64_t) override;
  void leave() override {}
  void abandon() override {}
  bool hung_up() override { return hung_up_; }

  void lie_in_profile(); // before the guest's library reads it

private:
  // Choices of an answer.
  enum : unsigned {
    other_status = 1,
    other_body = 2,
    other_flags = 4,
    other_data = 8,
    no_answer = 16,
    write_header = 32, // the fields that a worker may write
    write_anywhere = 64,
    name_victim = 128, // as the requested address
  };

  void act();
  void answer(pegasus_request const& request, unsigned choices);
  void fill_in(pegasus_request const& request, std::span<std::byte> data, pegasus_reply& reply);
  void write_to(std::span<std::byte> bytes); // to a part of them
  [[nodiscard]] std::span<std::byte> data_of(pegasus_request const& request) const;
  [[nodiscard]] pegasus_channel_header& header() const {
    return *reinterpret_cast<pegasus_channel_header*>(pages_.get());
  }

  struct Free {
    void operator()(std::byte* pages) const { ::operator delete[](pages, std::align_val_t{4096}); }
  };
  Input& input_;
  std::uint64_t victim_;
  ring::Geometry geometry_ = ring::geometry_for(PEGASUS_SLOTS_MIN, PEGASUS_ARENA_MIN);
  std::unique_ptr<std::byte, Free> pages_; // exactly the buffer: the sanitizer sees accesses beyond it
  pegasus_connect_reply connect_reply_{};
  std::uint32_t expected_ = 1;
  std::uint64_t next_ = 1; // the next handle
  std::uint64_t next_address_ = 0x7000'0000'0000;
  pegasus_request withheld_{}; // not answered yet; sequence 0: none
  bool hung_up_ = false;
};

// The guest's end.
[[nodiscard]] frontend::RingChannel open_channel(HostileWorker& worker);

} // namespace pegasus::fuzz
