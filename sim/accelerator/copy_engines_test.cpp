// SPDX-License-Identifier: Apache-2.0
// What a worker that copies tells pegasusd.
#include "sim/accelerator/copy_engines.h"

#include "sim/accelerator/always_on_cpu.h"
#include "sim/accelerator/worker.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

struct CopyRecorder final : Worker::Client, Worker::Scheduler {
  void completed() override {}
  void paused() override {}
  void kicked(TaskId /*task*/) override {}
  void executed(TaskId /*task*/, Nanos part) override { executed_for += part; }
  void copied(TaskId /*task*/, std::size_t copy_engine, Nanos span) override {
    copied_by = copy_engine;
    copied_for += span;
  }
  Nanos take_memory(TaskId /*task*/) override { return Nanos{0}; }
  void polls(TaskId /*task*/) override {}
  Nanos executed_for{0};
  Nanos copied_for{0};
  std::size_t copied_by = 0;
};

// Executes this work to its end on an accelerator with that many copy engines.
struct CopyFixture {
  CopyFixture(unsigned engines, Work const& work) : copy_engines(clock, engines) {
    worker.gate().word = pegasus::gate::word_open;
    worker.post(work, 0);
    clock.run_until(Time{} + 1s);
    REQUIRE(worker.completed() == 1);
  }

  Clock clock;
  Engine engine{clock, {}};
  CopyEngines copy_engines;
  IdleWatch idle_watch{clock};
  Costs costs;
  CopyRecorder others;
  AlwaysOnCpu cpu{clock, 0ns};
  Worker worker{{.clock = clock,
                 .engine = engine,
                 .copy_engines = copy_engines,
                 .idle_watch = idle_watch,
                 .cpu = cpu,
                 .costs = costs,
                 .scheduler = others,
                 .client = others,
                 .task = TaskId{1},
                 .memory = 0}};
};

constexpr Work to_device{.kind = Work::Kind::to_device, .span = 100us};
constexpr Work from_device{.kind = Work::Kind::from_device, .span = 100us, .waits = true};

} // namespace

TEST_CASE("copies are device time where the accelerator has no copy engine") {
  for (Work const& work : {to_device, from_device}) {
    CopyFixture of(0, work);
    CHECK(of.worker.usage().device_busy_ns == 100'000);
    CHECK(of.worker.usage().host_busy_ns == 0);
    CHECK(of.others.executed_for == 100us);
  }
}

// domA/device/cuda/transfers.h: the driver polls until a copy from the device has ended, and that is the
// worker's CPU time; a copy to the device is submitted.
TEST_CASE("the time of a copy engine is not device time; the worker's while it waits for one is the host's") {
  for (unsigned const engines : {1u, 2u}) {
    CopyFixture to(engines, to_device);
    CHECK(to.worker.usage().device_busy_ns == 0);
    CHECK(to.worker.usage().host_busy_ns == 0);
    CHECK(to.others.copied_by == 0);
    CopyFixture from(engines, from_device);
    CHECK(from.worker.usage().device_busy_ns == 0);
    CHECK(from.worker.usage().host_busy_ns == 100'000);
    CHECK(from.others.copied_by == engines - 1);
    for (CopyFixture* const of : {&to, &from}) {
      CHECK(of->others.executed_for == 0ns);
      CHECK(of->others.copied_for == 100us);
      CHECK(of->worker.usage().calls == 1);
    }
  }
}

TEST_CASE("a copy of a task that is killed leaves the copy engine to the next") {
  CopyFixture of(1, to_device);
  of.worker.post(from_device, 0);
  of.clock.run_until(Time{} + 1s + 50us);
  of.worker.end();
  of.clock.run_until(Time{} + 2s);
  CHECK(of.worker.completed() == 1);
  CHECK(of.copy_engines.busy() > 100us);
  CHECK(of.copy_engines.busy() < 150us);
}
