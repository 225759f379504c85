// SPDX-License-Identifier: Apache-2.0
#include "sim/accelerator/idle_watch.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

TEST_CASE("idle with calls: while a task has some and no engine has one, the longest span") {
  Clock clock;
  IdleWatch watch(clock);
  IdleWatch::Task a, b;
  constexpr IdleWatch::Task none{}, waits{.calls = true}, executes{.calls = true, .on_device = true};
  auto const at = [&](Nanos now, IdleWatch::Task& task, IdleWatch::Task const& to) {
    clock.run_until(Time{} + now);
    watch.change(task, to);
    return watch.longest();
  };
  CHECK(at(5ms, a, waits) == 0ms); // nobody had calls before
  CHECK(at(6ms, b, waits) == 1ms);
  CHECK(at(8ms, b, executes) == 3ms);
  CHECK(at(20ms, b, none) == 3ms); // a has waited, but the device was not idle
  CHECK(at(22ms, a, executes) == 3ms);
  CHECK(at(23ms, a, none) == 3ms);
  CHECK(at(40ms, a, waits) == 3ms);
  clock.run_until(Time{} + 45ms);
  CHECK(watch.longest() == 5ms); // so far
}
