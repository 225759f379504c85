// SPDX-License-Identifier: Apache-2.0
// The other end of a guest's channel in hostile hands. It acts whenever the guest rings or sleeps: answers
// what was asked as an honest worker would, but for what the fuzzer changes of it, and writes the fuzzer's
// bytes anywhere into the pages. Once these run out it is honest, and hangs up on a guest that still waits.
#pragma once

#include "domA/ring/request_ring.h"
#include "frontend/transport/transport.h"
#include "tests/fuzz/input.h"

#include <atomic>
#include <memory>
#include <new>

namespace pegasus::fuzz {

class HostileWorker final : public frontend::Transport {
public:
  // `victim`: host memory of the program, which an answer may name as the device's.
  HostileWorker(Input& input, std::uint64_t victim);

  std::byte* memory() const override { return pages_.get(); }
  pegasus_welcome const& welcome() const override { return welcome_; }
  void wake(std::uint32_t*) override { act(); }
  void sleep(std::uint32_t*, std::uint32_t, std::uint64_t) override;
  void leave() override {}
  void abandon() override {}
  bool hung_up() override { return hung_up_; }

  void lie_in_profile(); // before the guest's library reads it

private:
  // Of an answer.
  enum : unsigned {
    other_status = 1,
    other_body = 2,
    other_flags = 4,
    other_data = 8,
    no_answer = 16,
    write_header = 32, // what the worker may write there
    write_anywhere = 64,
    name_victim = 128, // as the address that is asked for
  };

  void act();
  void answer(pegasus_request const& request, unsigned choices);
  void fill_in(pegasus_request const& request, std::span<std::byte> data, pegasus_reply& reply);
  void write_to(std::span<std::byte> bytes); // a part of them
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
  std::unique_ptr<std::byte, Free> pages_; // exactly the buffer: the sanitizer sees a byte beyond it
  pegasus_welcome welcome_{};
  std::uint32_t expected_ = 1;
  std::uint64_t next_ = 1; // handle
  std::uint64_t next_address_ = 0x7000'0000'0000;
  pegasus_request withheld_{}; // not answered yet; sequence 0: none
  bool hung_up_ = false;
};

} // namespace pegasus::fuzz
