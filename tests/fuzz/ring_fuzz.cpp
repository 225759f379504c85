// SPDX-License-Identifier: Apache-2.0
// The fuzzer writes any byte of a call buffer, indices included, between the aVCPU's steps and during them.
// The aVCPU must not touch a byte outside the buffer. Inside, it must not write a byte that the protocol
// leaves to the guest.
//
// Input: actions. 8 bits choose: write bytes anywhere, publish a request as a guest would, or let
// the aVCPU step.
#include "domA/ring/request_ring.h"

#include "domA/avcpu/avcpu.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/strict_device.h"

#include <cstddef>

namespace {

using namespace pegasus;
using Step = avcpu::Avcpu::Step;

constexpr unsigned max_actions = 512;

class Session {
public:
  explicit Session(fuzz::Input input)
      : input_(input), geometry_(ring::geometry_for(PEGASUS_SLOTS_MIN, PEGASUS_ARENA_MIN)),
        pages_(new std::byte[geometry_.total_bytes]()) {
    ring::initialize(pages_.get(), geometry_);
    gate_.word.store(gate::word_open);
  }

  void run() {
    for (unsigned i = 0; i < max_actions && !input_.empty() && !broken_; ++i)
      switch (input_.take<std::uint8_t>() % 4) {
      case 0:
        write_anywhere();
        break;
      case 1:
        publish();
        break;
      default:
        step();
      }
    step();
  }

private:
  static std::unique_ptr<device::Context> make_context(void* argument) {
    return std::make_unique<fuzz::StrictContext>([session = static_cast<Session*>(argument)] {
      if (session->stepping_) session->write_anywhere();
    });
  }

  void write_anywhere() {
    auto const offset = input_.take<std::uint32_t>() % geometry_.total_bytes;
    auto const room = geometry_.total_bytes - offset;
    auto const bytes = input_.take_bytes(std::min<std::size_t>(input_.take<std::uint8_t>(), room));
    std::copy(bytes.begin(), bytes.end(), pages_.get() + offset);
  }

  // Writes the next request completely and in its slot. The fuzzer chooses its data range.
  void publish() {
    pegasus_request request{};
    request.sequence = ++published_;
    request.call = input_.take<std::uint8_t>();
    request.data_offset = input_.take<std::uint32_t>();
    request.data_bytes = input_.take<std::uint16_t>();
    auto const body =
        input_.take_bytes(std::min<std::size_t>(input_.take<std::uint8_t>(), sizeof request.body));
    std::copy(body.begin(), body.end(), reinterpret_cast<std::byte*>(request.body));
    auto* const slots = reinterpret_cast<pegasus_request*>(pages_.get() + geometry_.request_offset);
    slots[published_ % geometry_.slots] = request;
  }

  // The guest's bytes are compared only if the guest did not write during the step.
  void step() {
    std::vector<std::byte> const before = guests_own();
    std::size_t const left = input_.left();
    stepping_ = true;
    Step const result = avcpu_.step();
    if (result == Step::on_host) avcpu_.execute_on_host();
    stepping_ = false;
    if (input_.left() == left) fuzz::require(before == guests_own());
    broken_ = result == Step::broken;
    avcpu_.publish_latency();
  }

  // The header up to what the worker writes, and the request slots.
  std::vector<std::byte> guests_own() const {
    std::vector<std::byte> bytes(pages_.get(), pages_.get() + offsetof(pegasus_channel_header, completed));
    bytes.insert(bytes.end(), pages_.get() + geometry_.request_offset, pages_.get() + geometry_.reply_offset);
    return bytes;
  }

  fuzz::Input input_;
  ring::Geometry geometry_;
  std::unique_ptr<std::byte[]> pages_; // exactly the buffer: the sanitizer sees accesses beyond it
  std::uint32_t published_ = 0;
  bool stepping_ = false;
  bool broken_ = false;
  gate::GatePage gate_{};
  gate::UsagePage usage_{};
  ring::RequestRing ring_{pages_.get(), geometry_};
  avcpu::CallHandler handler_{make_context, this};
  avcpu::Avcpu avcpu_{ring_, handler_, gate_, usage_};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Session(fuzz::Input(data, size)).run();
  return 0;
}
