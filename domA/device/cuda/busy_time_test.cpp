// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/busy_time.h"

#include <catch2/catch.hpp>
#include <random>

using namespace pegasus::cuda;
using namespace std::chrono_literals;

TEST_CASE("intervals that overlap count once, gaps do not count") {
  BusyTime busy;
  busy.add(10us, 20us);
  CHECK(busy.total() == 10us);
  busy.add(30us, 40us);
  CHECK(busy.total() == 20us);
  busy.add(15us, 35us);
  CHECK(busy.total() == 30us);
  busy.add(10us, 40us);
  CHECK(busy.total() == 30us);
  busy.add(40us, 41us);
  CHECK(busy.total() == 31us);
  busy.add(0us, 5us);
  CHECK(busy.total() == 36us);
  busy.add(50us, 50us);
  busy.add(60us, 50us);
  CHECK(busy.total() == 36us);
}

TEST_CASE("work whose time is not known fills the gaps, as far as they reach") {
  BusyTime busy;
  busy.add(10us, 20us);
  busy.add(30us, 40us);
  CHECK(busy.fill(5us, 100us, 8us) == 23us); // 5 us before, 3 us between
  CHECK(busy.total() == 28us);
  CHECK(busy.fill(12us, 45us, 20us) == 45us); // 7 us between, 5 us behind
  CHECK(busy.total() == 40us);
  CHECK(busy.fill(50us, 50us, 1us) == 50us);
  CHECK(busy.fill(60us, 50us, 1us) == 50us);
  CHECK(busy.total() == 40us);
  CHECK(busy.fill(0us, Nanos::max(), 10us) == 50us); // 5 us at the beginning, 5 us at the end
  CHECK(busy.total() == 50us);
}

TEST_CASE("a long kernel's time is counted around the short ones whose ends were seen before") {
  BusyTime busy;
  for (Nanos begin{0}; begin < 50ms; begin += 5ms)
    busy.add(begin, begin + 20us);
  busy.add(0ms, 50ms);
  CHECK(busy.total() == 50ms);
}

TEST_CASE("any order gives the union") {
  std::mt19937 random(GENERATE(1u, 2u, 3u, 4u, 5u));
  BusyTime busy;
  std::vector<bool> covered(200);
  for (int i = 0; i < 30; ++i) {
    auto const begin = static_cast<std::size_t>(random() % 190);
    std::size_t const end = begin + random() % 10;
    for (std::size_t at = begin; at < end; ++at)
      covered[at] = true;
    busy.add(Nanos(begin), Nanos(end));
  }
  CHECK(busy.total() == Nanos(std::ranges::count(covered, true)));
}

TEST_CASE("many gaps are remembered together: the time around them is counted, and none of it twice") {
  BusyTime busy;
  for (Nanos begin{0}; begin < 1s; begin += 1ms)
    busy.add(begin, begin + 10us);
  CHECK(busy.total() == 10ms);
  busy.add(0s, 500ms); // about half of what was counted lies in it
  CHECK(busy.total() > 504ms);
  CHECK(busy.total() < 506ms);
  busy.add(0s, 2s);
  CHECK(busy.total() > 1990ms);
  CHECK(busy.total() < 2010ms);
}
