// SPDX-License-Identifier: Apache-2.0
// Streams that are held until a launch is complete, so that its way to the device is not charged.
#include "domA/device/cuda/testing/work_queues.h"

#include <catch2/catch.hpp>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
using namespace std::chrono_literals;

TEST_CASE("an event with a time is recorded for one launch in half a millisecond") {
  QueueFixture fixture;
  for (int i = 0; i < 1000; ++i) {
    fixture.launch(20us);
    if (i % 8 == 0) fixture.wait();
  }
  CHECK(fixture.time.timed_records <= 1 + 2 * (5 + 20'000 / 450));
}

TEST_CASE("short kernels on an idle stream are charged without their way to the device, if it can be held") {
  QueueFixture fixture;
  Nanos const busy = fixture.busy_with_short_kernels(1000);
  CHECK(busy > 4'900us);
  CHECK(busy < 5'200us); // the first one was not held
  CHECK(fixture.time.holds > 15);
  fixture.queue.close();
  CHECK(fixture.time.words == 0);
}

TEST_CASE("without a hold their way is charged, and a driver that cannot is asked once") {
  QueueFixture fixture;
  fixture.time.can_hold = false;
  CHECK(fixture.busy_with_short_kernels(1000) > 15ms);
  CHECK(fixture.time.holds == 1);
  CHECK(fixture.time.words == 0);
}

TEST_CASE("a driver without waiting for words is not asked") {
  QueueFixture fixture;
  Driver without = driver_in_virtual_time();
  without.cuStreamWaitValue32 = nullptr;
  WorkQueue queue(without, true, 16);
  fixture.launch(5us); // the time is known now
  fixture.wait();
  queue.begin(nullptr, *fixture.kernel, 1, true);
  queue.end(fixture.kernel, 1);
  CHECK(fixture.time.holds == 0);
}

TEST_CASE("a stream is held for no launch that may wait, is long, or has work before it") {
  QueueFixture fixture;
  SECTION("it may wait") {
    fixture.may_hold = false;
    for (int i = 0; i < 10; ++i) {
      fixture.launch(5us);
      fixture.wait();
    }
  }
  SECTION("it is long") {
    for (int i = 0; i < 10; ++i) {
      fixture.launch(1ms);
      fixture.wait();
    }
  }
  SECTION("it has work before it") {
    for (int i = 0; i < 10; ++i)
      fixture.launch(50us);
  }
  CHECK(fixture.time.holds == 0);
}

TEST_CASE("a stream that was held is released when the launch fails, too") {
  QueueFixture fixture;
  (void)fixture.busy_with_short_kernels(2);
  unsigned const before = fixture.time.holds;
  fixture.launch_that_fails();
  CHECK(fixture.time.holds > before);
  CHECK_FALSE(fixture.time.awaited);
  fixture.wait();
}

TEST_CASE("a stream is not held by a word that the driver did not give") {
  QueueFixture fixture;
  fixture.driver.cuMemHostAlloc = [](void** memory, std::size_t, unsigned) {
    *memory = nullptr;
    return CUDA_SUCCESS;
  };
  for (int i = 0; i < 3; ++i) {
    fixture.launch(20us);
    fixture.wait();
  }
  CHECK(fixture.time.holds == 0);
}
