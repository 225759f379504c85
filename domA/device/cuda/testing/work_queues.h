// SPDX-License-Identifier: Apache-2.0
// For tests: a work queue on a driver in virtual time, one whose kernels are measured, and one of two streams on which
// long and short kernels meet.
#pragma once

#include "domA/device/cuda/testing/virtual_driver.h"
#include "domA/device/cuda/work_queue.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

namespace pegasus::cuda::testing {

using namespace std::chrono_literals;

struct QueueFixture {
  static constexpr unsigned queued_launches = 2;
  Timeline time;
  Driver driver = driver_in_virtual_time();
  WorkQueue queue{driver, true, queued_launches, nullptr, [] { return timeline->now; }};
  std::shared_ptr<KernelTime> kernel = std::make_shared<KernelTime>();

  QueueFixture() { timeline = &time; }
  void launch(Nanos takes, CUstream on = nullptr) {
    queue.begin(on, *kernel, 1, may_hold);
    time.now += launch_takes; // the call and the submission to the device
    time.submit(on, {nullptr, takes});
    queue.end(kernel, 1);
    time.look_at_the_word(on);
  }
  void launch_that_fails() {
    queue.begin(nullptr, *kernel, 1, may_hold);
    queue.end(kernel, 1);
    time.look_at_the_word(nullptr);
  }
  // Launches `count` kernels of 5 us, and waits for each; 15 us of launching are not part of their time.
  [[nodiscard]] Nanos busy_with_short_kernels(int count) {
    launch_takes = 15us;
    for (int i = 0; i < count; ++i) {
      launch(5us);
      wait();
    }
    return queue.busy();
  }
  Nanos launch_takes{0};
  bool may_hold = true;
  void wait() { // until all streams are done
    for (auto const& [on, at] : time.free_at)
      time.now = std::max(time.now, at);
    REQUIRE(queue.empty());
  }
};

// A time slice at which a test looks as time passes; it ends, if at all, when the test says so.
struct QueueSlice final : pegasus::device::TimeSlice {
  Nanos end = Nanos::max();
  mutable unsigned looks = 0;
  unsigned most = 2'000; // looks; then it is over
  Nanos look = 100us;    // takes this time
  bool over() const override {
    timeline->now += look;
    return ++looks > most;
  }
  Nanos ends_at() const override { return end; }
  pegasus::device::PieceLimit limit;
  pegasus::device::PieceLimit pieces() const override { return limit; }
};

struct TwoStreams : QueueFixture {
  WorkQueue queue{driver, false, queued_launches, nullptr, [] { return timeline->now; }};
  std::shared_ptr<KernelTime> unknown = std::make_shared<KernelTime>();
  QueueSlice slice;

  TwoStreams() {
    for (int i = 0; i < 10; ++i) {
      longer->sample(1, 50ms);
      kernel->sample(1, 20us);
    }
  }
  std::shared_ptr<KernelTime> longer = std::make_shared<KernelTime>();
  bool has_room(std::shared_ptr<KernelTime> const& of, CUstream on) {
    return queue.wait_for_room(on, *of, 1, &slice);
  }
  void submit(std::shared_ptr<KernelTime> const& of, CUstream on, Nanos takes) {
    queue.begin(on, *of, 1);
    time.submit(on, {nullptr, takes});
    queue.end(of, 1);
  }
};

} // namespace pegasus::cuda::testing
