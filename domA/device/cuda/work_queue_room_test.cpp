// SPDX-License-Identifier: Apache-2.0
// How much work is let onto the device at a time.
#include "domA/device/cuda/testing/work_queues.h"

#include <catch2/catch.hpp>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
using namespace std::chrono_literals;

TEST_CASE("about a millisecond of work is let onto the device, of an unknown kernel one launch") {
  QueueFixture fixture;
  fixture.launch(100us);
  CHECK(fixture.queue.full()); // its time is unknown
  fixture.wait();
  CHECK_FALSE(fixture.queue.full());
  unsigned launches = 0;
  for (; !fixture.queue.full(); ++launches)
    fixture.launch(100us);
  CHECK(launches == 10);
  fixture.time.now += 500us;
  fixture.queue.collect();
  CHECK_FALSE(fixture.queue.full());
  CHECK_FALSE(fixture.queue.empty());
  fixture.wait();
}

TEST_CASE(
    "a kernel that becomes a thousand times longer overruns by the launches that may wait, on all streams") {
  QueueFixture fixture;
  bool const shared = GENERATE(true, false);
  fixture.queue.slice_lasts(shared ? 30ms : Nanos::max());
  for (int i = 0; i < 100; ++i) {
    fixture.launch(5us);
    fixture.wait();
  }
  std::uintptr_t const streams = GENERATE(std::uintptr_t{1}, std::uintptr_t{10});
  unsigned launches = 0;
  for (; !fixture.queue.full(); ++launches)
    fixture.launch(5ms, stream(1 + launches % streams));
  CHECK(launches == (shared ? QueueFixture::queued_launches : WorkQueue::max_queued_alone));
  fixture.queue.collect();
  CHECK(fixture.queue.full()); // no launch is done
  fixture.wait();
  CHECK_FALSE(fixture.queue.full());
  fixture.launch(5ms, stream(1)); // measured: those before it were done late
  fixture.wait();
  fixture.launch(5ms, stream(1));
  CHECK(fixture.queue.full()); // one at a time now
}

TEST_CASE("when the time slice is about to end a launch waits for the one before") {
  QueueFixture fixture;
  fixture.queue.slice_lasts(WorkQueue::max_queued + 1ns);
  for (int i = 0; i < 100; ++i) {
    fixture.launch(5us);
    fixture.wait();
  }
  fixture.launch(5ms);
  CHECK_FALSE(fixture.queue.full());
  fixture.queue.slice_lasts(WorkQueue::max_queued);
  CHECK(fixture.queue.full());
  fixture.wait();
  CHECK_FALSE(fixture.queue.full());
  fixture.launch(5ms);
  CHECK(fixture.queue.full()); // the overrun is one launch
  fixture.wait();
}

TEST_CASE("a domain that arrives finds what was queued, and no launch is added to it") {
  QueueFixture fixture;
  for (int i = 0; i < 100; ++i) {
    fixture.launch(5us);
    fixture.wait();
  }
  for (int i = 0; i < 3; ++i)
    fixture.launch(5ms);
  CHECK_FALSE(fixture.queue.full());
  fixture.queue.slice_lasts(30ms);
  CHECK(fixture.queue.full());
  fixture.wait();
  CHECK_FALSE(fixture.queue.full());
}

TEST_CASE("a long kernel keeps other streams waiting only for what would lengthen a time slice") {
  TwoStreams fixture;
  fixture.submit(fixture.longer, stream(1), 50ms);
  CHECK_FALSE(fixture.queue.full(20us)); // beside it
  CHECK(fixture.queue.full(50ms));       // one long launch at a time
  CHECK(fixture.queue.full());           // unknown
  unsigned beside = 0;
  for (; !fixture.queue.full(100us); ++beside) {
    fixture.kernel->sample(1, 100us);
    fixture.submit(fixture.kernel, stream(2), 100us);
  }
  CHECK(beside >= 9);
  CHECK(beside < WorkQueue::max_queued_alone);
}

TEST_CASE("beside a long kernel short ones are accounted for and followed by others") {
  TwoStreams fixture;
  fixture.slice.end = 10s;
  fixture.submit(fixture.longer, stream(1), 50ms);
  for (int i = 0; i < 100; ++i) { // each beside the long one
    REQUIRE(fixture.has_room(fixture.kernel, stream(2)));
    fixture.submit(fixture.kernel, stream(2), 20us);
  }
  CHECK(fixture.time.now < 50ms);
  while (!fixture.queue.empty())
    fixture.time.now += 100us;
  CHECK(fixture.queue.busy() > 49'900us);
  CHECK(fixture.queue.busy() < 50'200us);
}

TEST_CASE("in the last part of a time slice nothing is submitted beside a launch") {
  TwoStreams fixture;
  fixture.queue.slice_lasts(WorkQueue::max_queued);
  fixture.submit(fixture.longer, stream(1), 50ms);
  CHECK(fixture.queue.full(20us));
}

TEST_CASE("while another domain is expected what is on the device ends in time") {
  TwoStreams fixture;
  fixture.slice.limit = {.from = 10ms, .longest = 50us};
  fixture.slice.look = 10us;
  SECTION("from then on no more is queued than may take that long") {
    fixture.time.now = 10ms;
    int queued = 0;
    for (; queued < 10; ++queued) {
      REQUIRE(fixture.has_room(fixture.kernel, stream(1)));
      if (fixture.time.now > 10ms) break;
      fixture.submit(fixture.kernel, stream(1), 20us);
    }
    CHECK(queued == 2); // the third waited for the first
  }
  SECTION("before, as much as ends by then") {
    fixture.time.now = 9'900us;
    int queued = 0;
    for (; queued < 20; ++queued) {
      REQUIRE(fixture.has_room(fixture.kernel, stream(1)));
      if (fixture.time.now > 9'900us) break;
      fixture.submit(fixture.kernel, stream(1), 20us);
    }
    CHECK(queued == 7);
  }
  SECTION("a launch that takes longer goes to an empty device") {
    fixture.time.now = 10ms;
    fixture.submit(fixture.kernel, stream(1), 20us);
    REQUIRE(fixture.has_room(fixture.longer, stream(2)));
    CHECK(fixture.time.now >= 10'020us);
  }
}

TEST_CASE("a kernel that waits for a kernel of another stream gets it") {
  TwoStreams fixture;
  auto const waits = GENERATE(false, true) ? fixture.longer : fixture.unknown;
  bool const shared = GENERATE(false, true);
  if (shared) fixture.slice.end = 100s;
  fixture.submit(waits, stream(1), 1000s);
  auto const other = std::make_shared<KernelTime>(); // unknown, too
  REQUIRE(fixture.has_room(other, stream(2)));
  CHECK(fixture.time.now < 100ms);
  fixture.submit(other, stream(2), 20us);
  // Of what is behind it on its own stream nothing helps; while no other domain waits it is submitted all the same,
  // because what helps may follow.
  CHECK(fixture.has_room(fixture.longer, stream(1)) == !shared);
}

TEST_CASE("what is overdue is followed by a number of launches, not by any number") {
  TwoStreams fixture;
  fixture.slice.look = 20ms;
  fixture.slice.most = 1000;
  unsigned launches = 0;
  for (; launches < 1000 && fixture.has_room(fixture.unknown, stream(1)); ++launches)
    fixture.submit(fixture.unknown, stream(1), 1000s);
  CHECK(launches == WorkQueue::max_queued_overdue);
}
