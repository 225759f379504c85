// SPDX-License-Identifier: Apache-2.0
#include "sim/clock.h"

#include <catch2/catch.hpp>
#include <memory>

using namespace pegasus::sim;
using namespace std::chrono_literals;

TEST_CASE("timers fire in the order of their times, equal ones in the order in which they were set") {
  Clock clock;
  std::string order;
  Timer c(clock, [&] { order += 'c'; }), a(clock, [&] { order += 'a'; }), b(clock, [&] { order += 'b'; });
  c.after(5ns);
  b.after(3ns);
  a.after(3ns);
  clock.run_until(Time{} + 4ns);
  CHECK(order == "ba");
  CHECK(clock.now() == Time{} + 4ns);
  clock.run_until(Time{} + 5ns);
  CHECK(order == "bac");
  CHECK(clock.fired() == 3);
}

TEST_CASE("a timer can be cancelled, set again, and set by itself") {
  Clock clock;
  int often = 0, never = 0;
  Timer cancelled(clock, [&] { ++never; });
  cancelled.after(2ns);
  std::unique_ptr<Timer> periodic;
  periodic = std::make_unique<Timer>(clock, [&] {
    if (++often == 3) cancelled.cancel();
    periodic->after(1ns);
  });
  cancelled.after(10ns);
  periodic->after(1ns);
  clock.run_until(Time{} + 20ns);
  CHECK(often == 20);
  CHECK(never == 0);
  CHECK_FALSE(cancelled.is_set());
}

TEST_CASE("a timer that was set to the past fires now") {
  Clock clock;
  clock.run_until(Time{} + 100ns);
  Time fired{};
  Timer late(clock, [&] { fired = clock.now(); });
  late.at(Time{} + 1ns);
  clock.run_until(clock.now());
  CHECK(fired == Time{} + 100ns);
}

TEST_CASE("many timers that come and go keep their order") {
  Clock clock;
  Time last{};
  bool ordered = true;
  std::vector<std::unique_ptr<Timer>> timers;
  for (int i = 0; i < 1000; ++i)
    timers.push_back(std::make_unique<Timer>(clock, [&] {
      ordered = ordered && clock.now() >= last;
      last = clock.now();
    }));
  for (std::size_t i = 0; i < timers.size(); ++i)
    timers[i]->after(Nanos(static_cast<int>(i * 7919 % 1009)));
  for (std::size_t i = 0; i < timers.size(); i += 3)
    timers[i]->cancel();
  clock.run_until(Time{} + 2000ns);
  CHECK(ordered);
  CHECK(clock.fired() == 666);
}
