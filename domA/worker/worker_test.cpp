// SPDX-License-Identifier: Apache-2.0
// Tests the waiting around an aVCPU with a real thread: when its guest is woken.
#include "base/futex.h"
#include "domA/worker/worker.h"

#include "frontend/protocol/calls.h"
#include "tests/support/null_device.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pegasus;

namespace {

// Records the worker's progress when it rings its guest. The guest itself never rings: it does not need to.
class NotingDoorbell final : public worker::Doorbell {
public:
  explicit NotingDoorbell(pegasus_channel_header const& header) : header_(header) {}
  void ring(std::uint32_t&) override { completed_at_ring = header_.completed; }
  void wait(std::uint32_t&, std::uint32_t) override { std::this_thread::yield(); }
  std::optional<std::uint32_t> completed_at_ring;

private:
  pegasus_channel_header const& header_;
};

// A device that is busy at the first looks.
struct BusyContext : testing::NullContext {
  explicit BusyContext(int& looks_left) : looks(looks_left) {}
  bool idle() override { return looks == 0 || --looks == 0; }
  int& looks;
};

// A guest that sleeps until its only call is answered, and whose gate is closed.
struct Task {
  ring::Geometry geometry = ring::geometry_for(16, 0);
  std::vector<std::byte> pages = std::vector<std::byte>(geometry.total_bytes);
  gate::GatePage gate{};
  gate::UsagePage usage{};
  ring::RequestRing ring{(ring::initialize(pages.data(), geometry), pages.data()), geometry};
  int busy_looks = 0;
  std::optional<gate::Activity> activity_at_making; // of the last context
  avcpu::CallHandler handler{[](void* self) -> std::unique_ptr<device::Context> {
                               auto& task = *static_cast<Task*>(self);
                               task.activity_at_making = task.usage.activity.load();
                               return std::make_unique<BusyContext>(task.busy_looks);
                             },
                             this};
  avcpu::Avcpu vcpu{ring, handler, gate, usage};
  NotingDoorbell doorbell{ring.header()};
  int kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::vector<gate::Order> orders; // that were obeyed
  std::uint32_t next = 1;

  ~Task() { close(kick); }

  void publish(std::uint32_t data_bytes, std::uint16_t call = PEGASUS_CALL_PING) {
    auto& slot =
        reinterpret_cast<pegasus_request*>(pages.data() + geometry.request_offset)[next % geometry.slots];
    slot.call = call;
    slot.data_bytes = data_bytes;
    std::atomic_ref(slot.sequence).store(next++, std::memory_order_release);
  }
  void work() {
    worker::Worker(vcpu, ring, doorbell, {gate, usage}, kick, [this](gate::Order const& order) {
      CHECK(busy_looks == 0); // the device has done all
      CHECK((gate.word & gate::word_open) == 0);
      orders.push_back(order);
      return gate::Answer{.amount = order.amount + 1};
    }).run();
  }
  void order(gate::Order const& order) {
    gate::post(gate, order);
    gate.word += gate::word_epoch;
    pegasus::base::futex_wake(gate.word, 1);
  }
  [[nodiscard]] gate::Answer wait_for_answer() const {
    while (!gate::answer_to_last(gate, usage))
      std::this_thread::yield();
    return *gate::answer_to_last(gate, usage);
  }
  void open_gate(std::uint32_t how) {
    gate.word = gate::word_epoch | gate::word_open | how;
    pegasus::base::futex_wake(gate.word, 1);
  }
};

// The worker's progress when it woke the guest, after its gate was opened with `how`.
std::optional<std::uint32_t> completed_when_woken(std::uint32_t how) {
  Task task;
  task.publish(0);
  task.ring.header().guest_parked = 1;
  std::thread thread([&] { task.work(); });
  while (task.usage.activity != gate::Activity::waiting)
    std::this_thread::yield();
  task.open_gate(how);
  while (std::atomic_ref(task.ring.header().completed).load() != 1)
    std::this_thread::yield();
  task.publish(task.geometry.arena_bytes + 1); // an invalid request ends the worker
  thread.join();
  return task.doorbell.completed_at_ring;
}

} // namespace

TEST_CASE("the answer wakes a guest that sleeps") { CHECK(completed_when_woken(0) == 1); }

TEST_CASE("a gate opened that asks for a wake-up wakes the guest before its call is executed") {
  CHECK(completed_when_woken(gate::word_wake) == 0);
}

TEST_CASE("a call begins when the device has done all before it, if the policy wants that") {
  for (std::uint32_t const engaged : {0U, 1U}) {
    Task task;
    task.busy_looks = 4;
    task.gate.engaged = engaged;
    task.open_gate(0);
    task.publish(0);
    task.publish(task.geometry.arena_bytes + 1); // an invalid request ends the worker
    task.work();
    CHECK(task.busy_looks == (engaged != 0 ? 0 : 4));
  }
}

TEST_CASE(
    "a call that needs no device begins when the device has done all before it, with the gate given back") {
  Task task;
  task.busy_looks = 4;
  task.open_gate(0);
  task.publish(0, PEGASUS_CALL_CONTEXT_RESET);
  task.publish(task.geometry.arena_bytes + 1); // an invalid request ends the worker
  task.work();
  CHECK(task.busy_looks == 0);
  CHECK(task.activity_at_making == gate::Activity::on_host);
  CHECK(task.usage.activity == gate::Activity::running);
  std::uint64_t kicks = 0;
  CHECK(read(task.kick, &kicks, sizeof kicks) == sizeof kicks);
}

TEST_CASE("a worker obeys an order while it waits for its gate, and then goes on waiting") {
  Task task;
  task.publish(0);
  std::thread thread([&] { task.work(); });
  while (task.usage.activity != gate::Activity::waiting)
    std::this_thread::yield();
  for (std::uint64_t const amount : {7U, 8U}) {
    task.order({.kind = gate::OrderKind::nothing, .amount = amount});
    CHECK(task.wait_for_answer() == gate::Answer{.amount = amount + 1});
  }
  while (task.usage.activity != gate::Activity::waiting)
    std::this_thread::yield();
  CHECK(std::atomic_ref(task.ring.header().completed).load() == 0);
  task.open_gate(0);
  task.publish(task.geometry.arena_bytes + 1); // an invalid request ends the worker
  thread.join();
  CHECK(task.orders.size() == 2);
}

TEST_CASE("a worker without calls obeys an order and rings") {
  Task task;
  std::thread thread([&] { task.work(); });
  while (task.usage.activity != gate::Activity::idle)
    std::this_thread::yield();
  std::uint64_t kicks = 0;
  while (read(task.kick, &kicks, sizeof kicks) != sizeof kicks)
    std::this_thread::yield();
  task.order({.kind = gate::OrderKind::describe, .amount = 3});
  CHECK(task.wait_for_answer().amount == 4);
  while (read(task.kick, &kicks, sizeof kicks) != sizeof kicks)
    std::this_thread::yield();
  CHECK(task.usage.activity == gate::Activity::idle);
  task.open_gate(0);
  task.publish(task.geometry.arena_bytes + 1); // an invalid request ends the worker
  thread.join();
  CHECK(task.orders == std::vector{gate::Order{.kind = gate::OrderKind::describe, .amount = 3}});
}
