// SPDX-License-Identifier: Apache-2.0
#include "sim/accelerator/engine.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

struct KernelRecorder final : Engine::Context {
  explicit KernelRecorder(Clock const& of) : clock(of) {}
  void began() override { ++began_count; }
  void executed(Nanos part, bool finished) override {
    ran += part;
    if (finished) ended = clock.now();
  }
  Clock const& clock;
  int began_count = 0;
  Nanos ran{0};
  Time ended{};
};

} // namespace

TEST_CASE("an engine without preemption runs kernels to their ends, in their order") {
  Clock clock;
  Engine engine(clock, {});
  KernelRecorder a(clock), b(clock);
  engine.execute(a, 10ms);
  engine.execute(b, 1ms);
  clock.run_until(Time{} + 1s);
  CHECK(a.ended == Time{} + 10ms);
  CHECK(b.ended == Time{} + 11ms);
  CHECK(engine.busy() == 11ms);
  CHECK(engine.switches() == 1);
}

TEST_CASE("a change of context costs, and more while others wait; the same context again costs nothing") {
  Clock clock;
  Engine engine(clock, {.switch_cost = 100us, .contention = 10us});
  KernelRecorder a(clock), b(clock), c(clock);
  engine.execute(a, 1ms);
  engine.execute(b, 1ms);
  engine.execute(c, 1ms);
  clock.run_until(Time{} + 1s);
  CHECK(b.ended == Time{} + 2ms + 110us); // c waits
  CHECK(c.ended == Time{} + 3ms + 210us);
  CHECK(engine.switching() == 210us);
  CHECK(engine.busy() == 3ms);
  engine.execute(c, 1ms);
  clock.run_until(Time{} + 2s);
  CHECK(c.ended == Time{} + 1s + 1ms);
}

TEST_CASE("a change of context counts as it passes, also if its context goes meanwhile") {
  Clock clock;
  Engine engine(clock, {.switch_cost = 5ms});
  KernelRecorder a(clock), b(clock);
  engine.execute(a, 1ms);
  engine.execute(b, 1ms);
  clock.run_until(Time{} + 3ms);
  CHECK(engine.busy() == 1ms);
  CHECK(engine.switching() == 2ms);
  CHECK(engine.remove(b) == 0ms);
  clock.run_until(Time{} + 1s);
  CHECK(engine.switching() == 2ms);
  CHECK(engine.busy() == 1ms);
}

TEST_CASE("an engine that preempts gives contexts slices while others wait") {
  Clock clock;
  Engine engine(clock, {.preempt = 2ms});
  KernelRecorder lengthy(clock), brief(clock);
  engine.execute(lengthy, 100ms);
  clock.run_until(Time{} + 50ms);
  CHECK(lengthy.began_count == 1); // alone it is not interrupted
  engine.execute(brief, 1ms);
  clock.run_until(Time{} + 1s);
  CHECK(brief.ended == Time{} + 51ms);
  CHECK(lengthy.ended == Time{} + 101ms);
  CHECK(lengthy.ran == 100ms);
}

TEST_CASE("the kernel of a context that goes leaves the engine to the next") {
  Clock clock;
  Engine engine(clock, {});
  KernelRecorder a(clock), b(clock);
  engine.execute(a, 10ms);
  engine.execute(b, 1ms);
  clock.run_until(Time{} + 4ms);
  CHECK(engine.remove(a) == 4ms);
  clock.run_until(Time{} + 1s);
  CHECK(a.ended == Time{});
  CHECK(b.ended == Time{} + 5ms);
  CHECK(engine.busy() == 5ms);
}
