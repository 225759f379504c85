// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/avcpu.h"

#include "tests/support/null_device.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

using namespace pegasus;
using avcpu::Avcpu;
using Step = Avcpu::Step;

namespace {

// A guest's hand in a call buffer, and the aVCPU at its other end.
struct Task {
  ring::Geometry geometry = ring::geometry_for(16, 0);
  std::vector<std::byte> pages = std::vector<std::byte>(geometry.total_bytes);
  gate::GatePage gate{};
  gate::UsagePage usage{};
  ring::RequestRing ring{(ring::initialize(pages.data(), geometry), pages.data()), geometry};
  avcpu::CallHandler handler{
      [](void*) -> std::unique_ptr<device::Context> { return std::make_unique<testing::NullContext>(); },
      nullptr};
  Avcpu vcpu{ring, handler, gate, usage};
  std::uint32_t next = 1;

  void open(bool is_open) {
    std::uint32_t const epoch = (gate.word.load() | (gate::word_epoch - 1)) + 1;
    gate.word = is_open ? epoch | gate::word_open : epoch;
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
  pegasus_reply const& reply(std::uint32_t sequence) {
    return reinterpret_cast<pegasus_reply*>(pages.data() + geometry.reply_offset)[sequence % geometry.slots];
  }
};

} // namespace

TEST_CASE("a call waits for the gate and is executed once it opens") {
  Task task;
  CHECK(task.vcpu.step() == Step::empty);
  auto const sequence = task.publish(PEGASUS_CALL_PING, pegasus_ping_request{42});
  CHECK(task.vcpu.step() == Step::gated);
  CHECK(task.vcpu.step() == Step::gated);
  task.open(true);
  CHECK(task.vcpu.step() == Step::executed);
  CHECK(task.vcpu.step() == Step::empty);
  CHECK(task.reply(sequence).sequence == sequence);
  CHECK(task.reply(sequence).status == 0);
  std::uint64_t value = 0;
  std::memcpy(&value, task.reply(sequence).body, sizeof value);
  CHECK(value == 42);
}

TEST_CASE("a gate that closes stops the next call, and waiting acknowledges the closing") {
  Task task;
  task.open(true);
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{1});
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{2});
  REQUIRE(task.vcpu.step() == Step::executed);
  task.open(false);
  REQUIRE(task.vcpu.step() == Step::gated);
  CHECK(task.usage.obeyed != task.gate.word);
  task.vcpu.become(gate::Activity::waiting);
  CHECK(task.usage.obeyed == task.gate.word);
  CHECK(task.usage.activity == gate::Activity::waiting);
  CHECK(task.ring.header().worker_state == PEGASUS_WORKER_PAUSED);
}

TEST_CASE("totals are published before the answer") {
  Task task;
  task.open(true);
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{1}, 100);
  task.publish(PEGASUS_CALL_STREAM_DESTROY, pegasus_stream_destroy_request{1});
  REQUIRE(task.vcpu.step() == Step::executed);
  REQUIRE(task.vcpu.step() == Step::executed);
  CHECK(task.usage.calls == 2);
  CHECK(task.usage.sync_calls == 1);
  CHECK(task.usage.bytes == 100);
  CHECK(task.usage.last_vcpu == 3);
}

TEST_CASE("a lying ring is reported as broken") {
  Task task;
  task.open(true);
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{1}, task.geometry.arena_bytes + 1);
  CHECK(task.vcpu.step() == Step::broken);
}
