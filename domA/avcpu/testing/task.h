// SPDX-License-Identifier: Apache-2.0
// For tests: an aVCPU on a device whose launches are interrupted and whose reads are late, and the guest of its call buffer.
#pragma once

#include "domA/avcpu/avcpu.h"
#include "tests/support/late_reader.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace pegasus::avcpu::testing {

// A launch with three parts, which its time slice's end interrupts between two of them.
class LongLaunches final : public pegasus::testing::LateReader {
public:
  using Status = device::Status;
  Status launch(device::Stream*, device::Function&, device::Launch const&,
                device::TimeSlice const& slice) override {
    parts_ = 3;
    return resume(slice);
  }
  bool has_host_work() const override { return host_work; }
  void do_host_work() override { host_work = false; }
  bool host_work = false;
  Status resume(device::TimeSlice const& slice) override {
    if (host_work) return Status::not_ready;
    while (parts_ > 0) {
      if (slice.over()) return Status::not_ready;
      --parts_;
      pieces = slice.pieces();
      on_part();
    }
    return Status::success;
  }
  std::function<void()> on_part = [] {};
  device::PieceLimit pieces; // of the last part

  // The wait for work that was queued before.
  Status stream_synchronize(device::Stream*) override {
    on_synchronize();
    return synchronized;
  }
  std::function<void()> on_synchronize = [] {};
  Status synchronized = Status::success;

private:
  unsigned parts_ = 0;
};

// The guest's side of a call buffer, and the aVCPU at the other end.
struct Task {
  using Step = Avcpu::Step;

  ring::Geometry geometry = ring::geometry_for(16, 0);
  std::vector<std::byte> pages = std::vector<std::byte>(geometry.total_bytes);
  gate::GatePage gate{};
  gate::UsagePage usage{};
  ring::RequestRing ring{(ring::initialize(pages.data(), geometry), pages.data()), geometry};
  LongLaunches* context = nullptr;
  CallHandler handler{[](void* task) -> std::unique_ptr<device::Context> {
                        auto made = std::make_unique<LongLaunches>();
                        static_cast<Task*>(task)->context = made.get();
                        return made;
                      },
                      this};
  Avcpu vcpu{ring, handler, gate, usage};
  std::uint32_t next = 1;

  void open(bool is_open) {
    std::uint32_t const epoch = (gate.word.load() | (gate::word_epoch - 1)) + 1;
    gate.word = is_open ? epoch | gate::word_open : epoch;
  }
  Step step() { return step(vcpu); }
  static Step step(Avcpu& vcpu) { // as the worker does
    Step const result = vcpu.step();
    if (result != Step::on_host) return result;
    vcpu.execute_on_host();
    return Step::executed;
  }
  template <class Request>
  std::uint32_t publish(std::uint16_t call, Request const& body, std::uint32_t data_bytes = 0) {
    auto& slot =
        reinterpret_cast<pegasus_request*>(pages.data() + geometry.request_offset)[next % geometry.slots];
    slot.call = call;
    slot.guest_cpu = 3;
    slot.data_offset = 0;
    slot.data_bytes = data_bytes;
    std::memcpy(slot.body, &body, sizeof body);
    slot.sequence = next;
    return next++;
  }
  template <class Request>
  std::uint64_t call(std::uint16_t number, Request const& body, std::uint32_t data = 0) {
    auto const sequence = publish(number, body, data);
    REQUIRE(step() == Step::executed);
    REQUIRE(reply(sequence).status == 0);
    std::uint64_t handle = 0;
    std::memcpy(&handle, reply(sequence).body, sizeof handle);
    return handle;
  }
  std::uint32_t copy(std::uint64_t address = 0) { // a posted call for which the device will read
    return publish(PEGASUS_CALL_COPY_TO_DEVICE, pegasus_copy_to_device_request{0, address, 4, 4, 1}, 4);
  }
  std::uint32_t posted() { return publish(PEGASUS_CALL_FILL, pegasus_fill_request{0, 0, 0, 1, 1, 1, 0}); }
  void steps(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
      REQUIRE(step() == Step::executed);
  }
  [[nodiscard]] std::uint32_t completed() { return ring.header().completed; }
  std::uint64_t load_function() {
    call(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{1, 1, 0});
    publish(PEGASUS_CALL_MODULE_DATA, pegasus_module_data_request{0}, 1);
    REQUIRE(step() == Step::executed);
    auto const module = call(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{});
    pages[geometry.arena_offset] = std::byte{'k'};
    return call(PEGASUS_CALL_MODULE_FUNCTION, pegasus_module_function_request{module, 1, 0}, 1);
  }
  pegasus_reply const& reply(std::uint32_t sequence) {
    return reinterpret_cast<pegasus_reply*>(pages.data() + geometry.reply_offset)[sequence % geometry.slots];
  }
};

} // namespace pegasus::avcpu::testing
