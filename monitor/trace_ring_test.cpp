// SPDX-License-Identifier: Apache-2.0
#include "monitor/trace_ring.h"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace pegasus;
using namespace pegasus::monitor;
using policies::Time;
using namespace std::chrono_literals;

namespace {

TraceEntry time_slice(policies::DomainId domain, policies::Time at) {
  return {0, at, "rr", {domain}, 10ms, 9ms, policies::Reason::slice_end};
}

std::vector<std::uint64_t> numbers(std::vector<TraceEntry> const& entries) {
  std::vector<std::uint64_t> result;
  for (TraceEntry const& entry : entries)
    result.push_back(entry.number);
  return result;
}

using Numbers = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("a trace keeps what was recorded, in order") {
  TraceRing ring(4);
  CHECK(ring.last(10).empty());
  ring.record(time_slice(7, Time{1ms}));
  ring.record(time_slice(8, Time{11ms}));
  auto const all = ring.last(SIZE_MAX);
  REQUIRE(all.size() == 2);
  CHECK(all[0].domains == std::vector<policies::DomainId>{7});
  CHECK(all[1].at == Time{11ms});
  CHECK(all[1].ran == 10ms);
  CHECK(all[1].device_busy == 9ms);
  CHECK(all[1].policy == "rr");
  CHECK(numbers(ring.last(1)) == Numbers{2});
}

TEST_CASE("the oldest entries of a trace give way") {
  TraceRing ring(4);
  for (int i = 0; i < 10; ++i)
    ring.record(time_slice(1, Time{i * 1ms}));
  CHECK(ring.recorded() == 10);
  CHECK(numbers(ring.last(100)) == Numbers{7, 8, 9, 10});
  CHECK(numbers(ring.last(2)) == Numbers{9, 10});
}

TEST_CASE("a reader follows a trace") {
  TraceRing ring(4);
  for (int i = 0; i < 3; ++i)
    ring.record(time_slice(1, Time{i * 1ms}));
  CHECK(numbers(ring.after(0)) == Numbers{1, 2, 3});
  CHECK(numbers(ring.after(2)) == Numbers{3});
  CHECK(ring.after(3).empty());
  CHECK(ring.after(99).empty());
  for (int i = 0; i < 7; ++i)
    ring.record(time_slice(1, Time{i * 1ms}));
  CHECK(numbers(ring.after(2)) == Numbers{7, 8, 9, 10});
}

TEST_CASE("a trace is bounded whatever is recorded") {
  TraceRing ring(0);
  TraceEntry crowd = time_slice(1, Time{});
  crowd.domains.assign(1000, 5);
  ring.record(crowd);
  ring.record(crowd);
  auto const all = ring.last(10);
  REQUIRE(all.size() == 1);
  CHECK(all[0].domains.size() == TraceRing::domains_kept);
}
