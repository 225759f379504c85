// SPDX-License-Identifier: Apache-2.0
// What a worker does, and when, if its pCPU is given and taken by hand.
#include "sim/dom0/worker_thread.h"

#include "sim/accelerator/worker.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;
namespace gate = pegasus::gate;

namespace {

constexpr Work call{.span = 100us, .waits = true};

// One pCPU, for one vCPU.
class PcpuByHand final : public CpuScheduler {
public:
  VcpuId add(Vcpu& vcpu, VcpuSettings const& /*settings*/) override {
    vcpu_ = &vcpu;
    return 0;
  }
  void wake(VcpuId /*vcpu*/) override { wants = true; }
  void block(VcpuId /*vcpu*/) override {
    wants = false;
    take();
  }
  void boost(VcpuId /*vcpu*/) override {}
  void stop_all() override {}
  [[nodiscard]] VcpuState state(VcpuId /*vcpu*/) const override { return {}; }
  [[nodiscard]] Nanos cpu_time(VcpuId /*vcpu*/) const override { return {}; }

  void give() {
    if (std::exchange(given, wants)) return;
    if (given) vcpu_->on_cpu();
  }
  void take() {
    if (std::exchange(given, false)) vcpu_->off_cpu();
  }

  bool wants = false;
  bool given = false;

private:
  Vcpu* vcpu_ = nullptr;
};

struct Silent final : Worker::Client, Worker::Scheduler {
  void completed() override {}
  void paused() override {}
  void kicked(TaskId /*task*/) override { ++kicks; }
  void executed(TaskId /*task*/, Nanos /*part*/) override {}
  void copied(TaskId /*task*/, std::size_t /*copy_engine*/, Nanos /*span*/) override {}
  Nanos take_memory(TaskId /*task*/) override { return Nanos{0}; }
  void polls(TaskId /*task*/) override {}
  int kicks = 0;
};

// A worker with an open gate whose signals take no time.
struct Fixture {
  explicit Fixture(bool device_poll) : dom0(clock, pcpu, {.device_poll = device_poll}) {
    worker.gate().word = gate::word_open;
  }
  void run_for(Nanos span) { clock.run_until(clock.now() + span); }
  [[nodiscard]] gate::Activity activity() { return worker.usage().activity.load(); }

  Clock clock;
  PcpuByHand pcpu;
  Engine engine{clock, {}};
  CopyEngines copy_engines{clock, 0};
  IdleWatch idle_watch{clock};
  Costs costs{.serve = 10us, .event = 0ns, .futex = 0ns};
  Silent others;
  Dom0 dom0;
  std::unique_ptr<WorkerCpu> cpu = dom0.worker_cpu();
  Worker worker{{.clock = clock,
                 .engine = engine,
                 .copy_engines = copy_engines,
                 .idle_watch = idle_watch,
                 .cpu = *cpu,
                 .costs = costs,
                 .scheduler = others,
                 .client = others,
                 .task = TaskId{1},
                 .memory = 0}};
};

} // namespace

TEST_CASE("a worker without a pCPU picks up no call, and its device is idle") {
  Fixture of(true);
  of.worker.post(call, 0);
  of.run_for(1ms);
  CHECK(of.pcpu.wants);
  CHECK(of.activity() == gate::Activity::idle);
  CHECK(of.engine.busy() == 0ns);
  of.pcpu.give();
  of.run_for(10us + 30us); // it serves the call, then the kernel executes
  CHECK(of.engine.busy() == 30us);
}

TEST_CASE("a worker that loses its pCPU while it serves a call goes on from there") {
  Fixture of(true);
  of.worker.post(call, 0);
  of.run_for(0ns);
  of.pcpu.give();
  of.run_for(4us);
  of.pcpu.take();
  of.run_for(1ms);
  of.pcpu.give();
  of.run_for(6us + 1us);
  CHECK(of.engine.busy() == 1us);
}

TEST_CASE("a worker notices the end of a kernel when it has a pCPU, whether it polled or slept") {
  for (bool const polls : {true, false}) {
    INFO(polls);
    Fixture of(polls);
    of.worker.post(call, 0);
    of.run_for(0ns);
    of.pcpu.give();
    of.run_for(60us);
    CHECK(of.pcpu.given == polls);
    of.pcpu.take();
    of.run_for(1ms);
    CHECK(of.engine.busy() == 100us);
    CHECK(of.worker.completed() == 0);
    CHECK(of.worker.usage().device_busy_ns == 0);
    CHECK(of.pcpu.wants);
    of.pcpu.give();
    of.run_for(0ns);
    CHECK(of.worker.completed() == 1);
    CHECK(of.worker.usage().device_busy_ns == 100'000);
  }
}

TEST_CASE("a worker sleeps while a kernel executes that its program does not wait for") {
  Fixture of(true);
  of.worker.post({.span = 100us}, 0);
  of.run_for(0ns);
  of.pcpu.give();
  of.run_for(60us);
  CHECK(of.engine.busy() == 50us);
  CHECK_FALSE(of.pcpu.wants);
}

TEST_CASE("a worker sleeps while it waits for a device that others are to have left") {
  Fixture of(true);
  of.worker.gate().engaged = 1;
  of.worker.post(call, 0);
  of.run_for(0ns);
  of.pcpu.give();
  of.run_for(of.costs.drain / 2);
  CHECK_FALSE(of.pcpu.wants);
  of.run_for(of.costs.drain / 2);
  CHECK(of.pcpu.wants);
  of.pcpu.give();
  of.run_for(10us + 30us);
  CHECK(of.engine.busy() == 30us);
}

TEST_CASE("a worker does not obey a closed gate before it has a pCPU") {
  Fixture of(true);
  of.worker.post(call, 0);
  of.run_for(0ns);
  of.pcpu.give();
  of.run_for(10us + 100us + 20us); // polls for the next call
  CHECK(of.activity() == gate::Activity::running);
  of.pcpu.take();
  std::uint32_t const closed = gate::word_epoch;
  of.worker.gate().word = closed;
  of.worker.look_at_gate();
  of.run_for(10ms);
  CHECK(of.activity() == gate::Activity::running);
  CHECK(of.worker.usage().obeyed != closed);
  of.pcpu.give();
  of.run_for(0ns);
  CHECK(of.activity() == gate::Activity::idle);
  CHECK(of.worker.usage().obeyed == closed);
  CHECK_FALSE(of.pcpu.wants);
}

TEST_CASE("a worker polls by the clock: without a pCPU its time passes, too") {
  Fixture of(true);
  of.worker.post(call, 0);
  of.run_for(0ns);
  of.pcpu.give();
  of.run_for(10us + 100us + 20us);
  of.pcpu.take();
  of.run_for(1ms);
  CHECK(of.others.kicks == 0);
  of.pcpu.give();
  of.run_for(0ns);
  CHECK(of.others.kicks == 1);
  CHECK(of.activity() == gate::Activity::idle);
  // After such a gap it polls for 1 us only, as often as hybrid_spin.h says.
  of.worker.post(call, 0);
  of.run_for(0ns);
  of.pcpu.give();
  of.run_for(10us + 100us);
  CHECK(of.activity() == gate::Activity::running);
  of.run_for(1us);
  CHECK(of.activity() == gate::Activity::idle);
}

TEST_CASE("a worker that dies without a pCPU does nothing more when it has one") {
  Fixture of(true);
  of.worker.post(call, 0);
  of.run_for(0ns);
  of.worker.end();
  of.pcpu.give();
  of.run_for(1ms);
  CHECK(of.engine.busy() == 0ns);
  CHECK_FALSE(of.pcpu.wants);
}
