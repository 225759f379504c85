// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/phases.h"

#include "ctl/record/test_intervals.h"

#include <catch2/catch.hpp>

using namespace pegasus::ctl;

namespace {

constexpr Interval gone{.length_ns = 100 * ms};

// 100 ms of one task that makes synchronous calls.
Interval tenth(std::uint64_t device_ms, std::uint64_t waited_ms, std::uint64_t calls) {
  return interval(100, device_ms, waited_ms, calls);
}

std::vector<std::uint64_t> lengths_of(std::vector<Interval> const& intervals) {
  std::vector<std::uint64_t> lengths;
  for (Interval const& phase : phases_of(intervals))
    lengths.push_back(phase.length_ns / (100 * ms));
  return lengths;
}

} // namespace

TEST_CASE("a domain that always has work is one phase, however its share varies") {
  std::vector<Interval> intervals;
  for (std::uint64_t i = 0; i < 50; ++i)
    intervals.push_back(tenth(20 + 60 * (i % 2), 80 - 60 * (i % 2), 10 + 30 * (i % 2)));
  CHECK(lengths_of(intervals) == std::vector<std::uint64_t>{50});
  CHECK(phases_of(intervals).front().calls == 25 * 10 + 25 * 40);
}

TEST_CASE("a domain that comes and goes has a phase for each") {
  CHECK(lengths_of({gone, gone, tenth(90, 0, 9), tenth(80, 10, 8), tenth(95, 0, 9), gone, tenth(90, 0, 9)}) ==
        std::vector<std::uint64_t>{2, 3, 1, 1});
}

TEST_CASE("each kind of change begins a phase") {
  Interval const usual = tenth(40, 10, 40); // half of the time between calls
  SECTION("it computes less") { CHECK(lengths_of({usual, usual, tenth(80, 10, 80)}).size() == 2); }
  SECTION("its calls become longer") { CHECK(lengths_of({usual, usual, tenth(40, 10, 12)}).size() == 2); }
  SECTION("it waits for fewer of its calls") {
    Interval queued = usual;
    queued.sync_calls = 10;
    CHECK(lengths_of({usual, usual, queued}).size() == 2);
  }
  SECTION("it has more tasks") {
    Interval two = tenth(80, 20, 80);
    two.task_ns = 200 * ms;
    CHECK(lengths_of({usual, two, two}).size() == 2);
  }
  SECTION("little changes") { CHECK(lengths_of({usual, tenth(45, 20, 35), usual}).size() == 1); }
  SECTION("too few calls to tell") { CHECK(lengths_of({usual, tenth(40, 10, 3), usual}).size() == 1); }
}

TEST_CASE("there are at most so many phases") {
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < 4 * most_phases; ++i)
    intervals.push_back(i % 2 == 0 ? gone : tenth(90, 0, 9));
  CHECK(phases_of(intervals).size() == most_phases);
}
