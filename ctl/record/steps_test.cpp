// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/steps.h"

#include "ctl/record/test_intervals.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;
using Texts = std::vector<std::string>;

namespace {

Interval second_of(std::uint64_t device_ms, std::uint64_t waited_ms, std::uint64_t calls,
                   std::uint64_t sync_calls) {
  Interval made = interval(1000, device_ms, waited_ms, calls);
  made.sync_calls = sync_calls;
  return made;
}

} // namespace

TEST_CASE("a domain that always has work does not compute") {
  Steps const waits = steps_of(second_of(400, 600, 200, 200));
  CHECK(waits.steps == Texts{"call 2ms"});
  CHECK(waits.rounds == 200);
  Steps const queues = steps_of(second_of(400, 600, 170, 10)); // sixteen launches and a synchronization
  CHECK(queues.steps == Texts{"launch 2.352941ms 16", "call 2.352941ms"});
  CHECK(queues.rounds == 10);
}

TEST_CASE("the time between calls excludes device time and waiting") {
  Steps const half = steps_of(second_of(250, 250, 250, 250));
  CHECK(half.steps == Texts{"call 1ms", "cpu 2ms"});
  CHECK(half.rounds == 250);
}

TEST_CASE("where the device is shared, the latency of synchronous calls is the wait") {
  Interval shared = second_of(250, 0, 250, 250);
  shared.delayed_ns = 750 * ms;
  shared.in_calls_ns = 500 * ms;
  CHECK(steps_of(shared).steps == Texts{"call 1ms", "cpu 2ms"});
  shared.in_calls_ns = 900 * ms; // which may as well be all the time
  CHECK(steps_of(shared).steps == Texts{"call 1ms"});
  shared.delayed_ns = 500 * ms; // it cannot have waited for longer
  CHECK(steps_of(shared).steps == Texts{"call 1ms", "cpu 1ms"});
}

TEST_CASE("a part of the calls may be synchronous") {
  Steps const steps = steps_of(second_of(300, 700, 300, 200)); // of three calls, two
  CHECK(steps.steps == Texts{"call 1ms", "launch 1ms 1", "call 1ms"});
  CHECK(steps.rounds == 100);
}

TEST_CASE("without a synchronous call all is launched at once") {
  Steps const steps = steps_of(second_of(300, 0, 30, 0));
  CHECK(steps.steps == Texts{"launch 10ms 30", "sync", "cpu 700ms"});
  CHECK(steps.rounds == 1);
}

TEST_CASE("each task makes an equal part of the calls") {
  Interval two = second_of(400, 600, 200, 200);
  two.task_ns = 2000 * ms;
  two.in_calls_ns = 1200 * ms; // of 2 s of two tasks
  Steps const steps = steps_of(two);
  CHECK(steps.steps == Texts{"call 2ms", "cpu 4ms"});
  CHECK(steps.rounds == 100);
}

TEST_CASE("a kernel that executes all the time is one call") {
  CHECK(steps_of(second_of(1000, 0, 0, 0)).steps == Texts{"launch 1s 1", "sync"});
}

TEST_CASE("calls without device time take the least that a step can have") {
  CHECK(steps_of(second_of(0, 0, 1000, 1000)).steps == Texts{"call 1ns", "cpu 1ms"});
}

TEST_CASE("a pause longer than a step may be is several steps") {
  CHECK(pause_of(25 * 60'000 * ms).steps == Texts{"sleep 600s", "sleep 600s", "sleep 300s"});
}
