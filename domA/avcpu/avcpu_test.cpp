// SPDX-License-Identifier: Apache-2.0
#include "domA/avcpu/testing/task.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace pegasus;
using avcpu::Avcpu;
using avcpu::testing::Task;
using Step = Avcpu::Step;

using namespace std::chrono_literals;

TEST_CASE("a call waits for the gate and is executed once it opens") {
  Task task;
  CHECK(task.step() == Step::empty);
  auto const sequence = task.publish(PEGASUS_CALL_PING, pegasus_ping_request{42});
  CHECK(task.step() == Step::gated);
  CHECK(task.step() == Step::gated);
  task.open(true);
  CHECK(task.step() == Step::executed);
  CHECK(task.step() == Step::empty);
  CHECK(task.reply(sequence).sequence == sequence);
  CHECK(task.reply(sequence).status == 0);
  std::uint64_t value = 0;
  std::memcpy(&value, task.reply(sequence).body, sizeof value);
  CHECK(value == 42);
}

TEST_CASE("a module is loaded and its functions are looked up on the host") {
  Task task;
  task.open(true);
  task.publish(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{1, 1, 0});
  task.publish(PEGASUS_CALL_MODULE_DATA, pegasus_module_data_request{0}, 1);
  auto const load = task.publish(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{});
  for (bool const long_one : {false, false, true}) {
    REQUIRE(task.vcpu.step() == Step::on_host);
    CHECK(task.vcpu.takes_long() == long_one);
    task.vcpu.execute_on_host();
  }
  REQUIRE(task.reply(load).sequence == load);
  CHECK(task.reply(load).status == 0);
  CHECK(task.usage.calls == 3);
  CHECK(task.vcpu.step() == Step::empty);
}

TEST_CASE("a launch that has to compile does that on the host, and then waits for its gate") {
  Task task;
  task.open(true);
  auto const function = task.load_function();
  task.context->host_work = true;
  pegasus_launch_request launch{};
  launch.function = function;
  launch.parameter_bytes = 0;
  task.publish(PEGASUS_CALL_LAUNCH, launch);
  REQUIRE(task.vcpu.step() == Step::executed); // it begins
  REQUIRE(task.vcpu.step() == Step::on_host);
  CHECK(task.vcpu.takes_long());
  task.open(false);
  REQUIRE(task.vcpu.step() == Step::on_host);
  task.vcpu.execute_on_host();
  CHECK_FALSE(task.context->host_work);
  CHECK(task.vcpu.step() == Step::gated);
  task.open(true);
  CHECK(task.vcpu.step() == Step::executed);
  CHECK(task.vcpu.step() == Step::empty);
}

TEST_CASE("a launch knows how long its pieces may be as the gate page says") {
  Task task;
  task.open(true);
  auto const function = task.load_function();
  pegasus_launch_request launch{};
  launch.function = function;
  task.publish(PEGASUS_CALL_LAUNCH, launch);
  REQUIRE(task.step() == Step::executed);
  CHECK_FALSE(task.context->pieces.any());
  CHECK(task.context->pieces.at(1s) == device::Nanos::max());
  task.gate.pieces_from_ns = 2'000'000'000;
  task.gate.longest_piece_ns = 200'000;
  task.publish(PEGASUS_CALL_LAUNCH, launch);
  REQUIRE(task.step() == Step::executed);
  CHECK(task.context->pieces.at(1s) == 1s + 200us);
  CHECK(task.context->pieces.at(3s) == 200us);
}

TEST_CASE("a call that a guest exchanges after it was looked at waits for the gate all the same") {
  Task task;
  auto const ping = task.publish(PEGASUS_CALL_PING, pegasus_ping_request{1});
  REQUIRE(task.vcpu.step() == Step::gated);
  auto& slot = reinterpret_cast<pegasus_request*>(task.pages.data() + task.geometry.request_offset)[ping];
  slot.call = PEGASUS_CALL_MODULE_BEGIN;
  CHECK(task.vcpu.step() == Step::gated);
  CHECK(task.vcpu.pending());
  task.vcpu.set_activity(gate::Activity::waiting);
  CHECK(task.usage.requests_waiting == 1);
}

TEST_CASE("a gate that closes stops the next call, and waiting acknowledges the closing") {
  Task task;
  task.open(true);
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{1});
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{2});
  REQUIRE(task.step() == Step::executed);
  task.open(false);
  REQUIRE(task.step() == Step::gated);
  CHECK(task.usage.obeyed != task.gate.word);
  task.vcpu.set_activity(gate::Activity::waiting);
  CHECK(task.usage.requests_waiting == 1);
  CHECK(task.usage.obeyed == task.gate.word);
  CHECK(task.usage.activity == gate::Activity::waiting);
  CHECK(task.ring.header().worker_state == PEGASUS_WORKER_PAUSED);
}

TEST_CASE("a guest that is to poll for its replies is told so, with the gate open or closed") {
  Task task;
  task.gate.guest_polls = 1;
  for (gate::Activity const activity : {gate::Activity::running, gate::Activity::waiting}) {
    task.vcpu.set_activity(activity);
    CHECK(task.ring.header().worker_state == PEGASUS_WORKER_POLL);
  }
  task.gate.guest_polls = 0;
  task.vcpu.set_activity(gate::Activity::running);
  CHECK(task.ring.header().worker_state == PEGASUS_WORKER_RUNNING);
}

TEST_CASE("a gate whose lease has run out counts as closed until it is opened anew") {
  static device::Nanos now{0};
  now = 1s;
  Task task;
  Avcpu leased{task.ring, task.handler, task.gate, task.usage, {.lease = [] { return now; }}};
  task.open(true);
  task.gate.lease_until_ns = static_cast<std::uint64_t>(device::Nanos(2s).count());
  auto const steps_until_gated = [&] { // the clock is not read at each call
    for (int calls = 0; calls < 100; ++calls) {
      task.publish(PEGASUS_CALL_PING, pegasus_ping_request{});
      if (leased.step() == Step::gated) return calls;
    }
    return 100;
  };
  CHECK(steps_until_gated() == 100);
  now = 2s;
  CHECK(steps_until_gated() < 32);
  CHECK_FALSE(leased.gate_open());
  leased.set_activity(gate::Activity::waiting);
  CHECK(task.usage.obeyed == task.gate.word); // pegasusd sees that an open gate is obeyed
  task.gate.lease_until_ns = static_cast<std::uint64_t>(device::Nanos(4s).count());
  CHECK(leased.step() == Step::gated); // the worker may have gone to sleep before
  task.open(true);
  leased.set_activity(gate::Activity::running);
  CHECK(leased.step() == Step::executed); // the call that waited
}

TEST_CASE("a launch is interrupted when the gate closes, goes on when it opens, and is then complete") {
  Task task;
  task.open(true);
  std::uint64_t const function = task.load_function();
  int parts = 0;
  task.context->on_part = [&] {
    if (++parts == 2) task.open(false);
  };
  pegasus_launch_request launch{};
  launch.function = function;
  auto const launched = task.publish(PEGASUS_CALL_LAUNCH, launch);
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{});
  CHECK(task.step() == Step::executed);
  CHECK(task.step() == Step::gated);
  CHECK(task.step() == Step::gated);
  CHECK(parts == 2);
  CHECK(task.ring.header().completed == launched - 1);
  task.open(true);
  CHECK(task.step() == Step::executed);
  CHECK(parts == 3);
  CHECK(task.ring.header().completed == launched);
  CHECK(task.usage.calls == launched);  // one call, though in two parts
  CHECK(task.step() == Step::executed); // the ping
  CHECK(task.step() == Step::empty);
}

TEST_CASE("a graph's launch stops at a closed gate, between its requests and within one") {
  Task task;
  task.open(true);
  std::uint64_t const function = task.load_function();
  std::uint64_t const graph = task.call(PEGASUS_CALL_GRAPH_CREATE, pegasus_graph_create_request{});
  struct {
    pegasus_graph_add_request add;
    pegasus_launch_request launch;
  } kept{{graph, PEGASUS_CALL_LAUNCH, 0}, {}};
  kept.launch.function = function;
  for (int i = 0; i < 2; ++i) {
    task.publish(PEGASUS_CALL_GRAPH_ADD, kept);
    REQUIRE(task.step() == Step::executed);
  }
  int parts = 0;
  task.context->on_part = [&] {
    if (++parts == 3 || parts == 5) task.open(false); // at the end of the first launch, and in the second
  };
  auto const launched = task.publish(PEGASUS_CALL_GRAPH_LAUNCH, pegasus_graph_launch_request{graph, 0});
  CHECK(task.step() == Step::executed);
  CHECK(task.step() == Step::gated);
  CHECK(parts == 3);
  task.open(true);
  CHECK(task.step() == Step::executed);
  CHECK(task.step() == Step::gated);
  CHECK(parts == 5);
  CHECK(task.ring.header().completed == launched - 1);
  task.open(true);
  CHECK(task.step() == Step::executed);
  CHECK(parts == 6);
  CHECK(task.ring.header().completed == launched);
  CHECK(task.usage.calls == launched); // one call, whatever it contains
  CHECK(task.step() == Step::empty);
}

TEST_CASE("totals are published before the answer") {
  Task task;
  task.open(true);
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{1}, 100);
  task.publish(PEGASUS_CALL_STREAM_DESTROY, pegasus_stream_destroy_request{1});
  REQUIRE(task.step() == Step::executed);
  REQUIRE(task.step() == Step::executed);
  CHECK(task.usage.calls == 2);
  CHECK(task.usage.sync_calls == 1);
  CHECK(task.usage.bytes == 100);
  CHECK(task.usage.last_vcpu == 3);
}

TEST_CASE("a lying ring is reported as broken") {
  Task task;
  task.open(true);
  task.publish(PEGASUS_CALL_PING, pegasus_ping_request{1}, task.geometry.arena_bytes + 1);
  CHECK(task.step() == Step::broken);
}

TEST_CASE("what the host does for a guest is metered: images and large copies, not every call") {
  static device::Nanos cpu_time{0};
  Task task;
  task.open(true);
  Avcpu metered{task.ring, task.handler, task.gate, task.usage, {.host = [] { return cpu_time += 5us; }}};
  task.publish(PEGASUS_CALL_MODULE_BEGIN, pegasus_module_begin_request{1, 1, 0});
  task.publish(PEGASUS_CALL_MODULE_DATA, pegasus_module_data_request{0}, 1);
  REQUIRE(Task::step(metered) == Step::executed);
  REQUIRE(Task::step(metered) == Step::executed);
  CHECK(task.usage.host_busy_ns == 0);
  task.publish(PEGASUS_CALL_MODULE_LOAD, pegasus_module_load_request{});
  REQUIRE(Task::step(metered) == Step::executed);
  CHECK(task.usage.host_busy_ns == 5'000);
  task.publish(PEGASUS_CALL_MODULE_FUNCTION, pegasus_module_function_request{}); // makes the function's code
  REQUIRE(Task::step(metered) == Step::executed);
  CHECK(task.usage.host_busy_ns == 10'000);
}

TEST_CASE("pegasusd can see since when a call computes on the host") {
  static device::Nanos cpu_time{0};
  static Task* seen = nullptr;
  static std::vector<std::uint64_t> began; // at each look at the clock
  Task task;
  seen = &task;
  Avcpu metered{task.ring, task.handler, task.gate, task.usage, {.host = [] {
                  began.push_back(seen->usage.host_call_began_ns);
                  return cpu_time += 5us;
                }}};
  task.open(true);
  task.publish(PEGASUS_CALL_MODULE_FUNCTION, pegasus_module_function_request{});
  REQUIRE(Task::step(metered) == Step::executed);
  CHECK(began == std::vector<std::uint64_t>{0, 5'000});
  CHECK(task.usage.host_call_began_ns == 0);
  CHECK(task.usage.host_busy_ns == 5'000);
}

TEST_CASE("a large copy from the device is metered without the wait for the kernels before it") {
  static device::Nanos cpu_time{0};
  Task task;
  task.open(true);
  Avcpu metered{task.ring, task.handler, task.gate, task.usage, {.host = [] { return cpu_time += 5us; }}};
  unsigned waits = 0;
  task.context->on_synchronize = [&] {
    ++waits;
    cpu_time += 30ms; // a driver that polls
  };
  auto const copy = [&](std::uint32_t bytes, std::uint64_t stream = 0) {
    auto const sequence = task.publish(PEGASUS_CALL_COPY_FROM_DEVICE,
                                       pegasus_copy_from_device_request{stream, 0, bytes, bytes, 1}, bytes);
    REQUIRE(Task::step(metered) == Step::executed);
    return task.reply(sequence).status;
  };
  CHECK(copy(4) == 0);
  CHECK(waits == 0); // not metered
  std::uint32_t const large = 32 << 10;
  CHECK(copy(large) == 0);
  CHECK(waits == 1);
  CHECK(task.usage.host_busy_ns == 5'000);
  CHECK(copy(large, 77) == static_cast<std::int32_t>(device::Status::invalid_handle));
  CHECK(waits == 1);
  task.context->synchronized = device::Status::illegal_address; // of a kernel
  CHECK(copy(large) == static_cast<std::int32_t>(device::Status::illegal_address));
  task.context->synchronized = device::Status::success;
  CHECK(copy(large) == 0);
}
