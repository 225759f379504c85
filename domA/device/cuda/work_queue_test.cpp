// SPDX-License-Identifier: Apache-2.0
// The account of device time, over a driver in virtual time: streams that take the durations a test says.
#include "domA/device/cuda/work_queue.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pegasus::cuda;
using namespace std::chrono_literals;

namespace {

struct Timeline {
  Nanos now{0};
  std::map<CUstream, Nanos> free_at; // when the stream has done what it was given
  std::map<CUevent, Nanos> events;   // when each happens
  std::uintptr_t made = 0;
  bool lost = false;
};
Timeline* timeline = nullptr;

CUstream stream(std::uintptr_t number) { return reinterpret_cast<CUstream>(number); }

Driver driver_in_virtual_time() {
  Driver driver;
  driver.cuEventCreate = [](CUevent* event, unsigned) {
    *event = reinterpret_cast<CUevent>(++timeline->made);
    timeline->events[*event] = Nanos::max();
    return CUDA_SUCCESS;
  };
  driver.cuEventDestroy = [](CUevent event) {
    return timeline->events.erase(event) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  driver.cuEventRecord = [](CUevent event, CUstream on) {
    timeline->events[event] = std::max(timeline->now, timeline->free_at[on]);
    return CUDA_SUCCESS;
  };
  driver.cuEventQuery = [](CUevent event) {
    if (timeline->lost) return CUDA_ERROR_ILLEGAL_ADDRESS;
    return timeline->events.at(event) <= timeline->now ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  };
  driver.cuEventElapsedTime = [](float* milliseconds, CUevent from, CUevent to) {
    *milliseconds =
        std::chrono::duration<float, std::milli>(timeline->events.at(to) - timeline->events.at(from)).count();
    return CUDA_SUCCESS;
  };
  return driver;
}

struct Bench {
  Timeline time;
  Driver driver = driver_in_virtual_time();
  WorkQueue queue{driver};
  std::shared_ptr<KernelTime> kernel = std::make_shared<KernelTime>();

  Bench() { timeline = &time; }
  void launch(Nanos takes, CUstream on = nullptr) {
    queue.begin(on, *kernel, 1);
    time.free_at[on] = std::max(time.now, time.free_at[on]) + takes;
    queue.end(kernel, 1);
  }
  void wait() { // until all streams are done
    for (auto const& [on, at] : time.free_at)
      time.now = std::max(time.now, at);
    REQUIRE(queue.empty());
  }
};

} // namespace

TEST_CASE("kernels are charged what they took, measured or not, gaps are not") {
  Bench bench;
  for (int i = 0; i < 1000; ++i) {
    bench.launch(20us);
    bench.wait();
    bench.time.now += 1ms; // the program computes
  }
  CHECK(bench.queue.busy() > 19'900us);
  CHECK(bench.queue.busy() < 20'100us);
}

TEST_CASE("kernels that follow each other are charged the time from the first to the last") {
  Bench bench;
  for (int i = 0; i < 20'000; ++i) { // 4 s: over several epochs
    while (bench.queue.full()) {
      bench.time.now += 50us;
      bench.queue.collect();
    }
    bench.launch(200us);
  }
  bench.wait();
  CHECK(bench.queue.busy() > 3'999ms);
  CHECK(bench.queue.busy() < 4'001ms);
}

TEST_CASE("streams that overlap are not charged twice") {
  Bench bench;
  for (int i = 0; i < 100; ++i) {
    bench.launch(300us, stream(1));
    bench.launch(300us, stream(2));
    bench.wait();
  }
  CHECK(bench.queue.busy() > 29ms);
  CHECK(bench.queue.busy() < 31ms);
}

TEST_CASE("a program that grows slower is charged for it soon") {
  Bench bench;
  for (int i = 0; i < 100; ++i)
    bench.launch(10us);
  bench.wait();
  Nanos const before = bench.queue.busy();
  for (int i = 0; i < 1000; ++i) {
    bench.launch(40us);
    bench.wait();
  }
  CHECK(bench.queue.busy() - before > 37ms); // of 40
  CHECK(bench.queue.busy() - before <= 40ms);
}

TEST_CASE("about a millisecond of work is let onto the device, of an unknown kernel one launch") {
  Bench bench;
  bench.launch(100us);
  CHECK(bench.queue.full()); // for all that is known
  bench.wait();
  CHECK_FALSE(bench.queue.full());
  unsigned launches = 0;
  for (; !bench.queue.full(); ++launches)
    bench.launch(100us);
  CHECK(launches == 10);
  bench.time.now += 500us;
  bench.queue.collect();
  CHECK_FALSE(bench.queue.full());
  CHECK_FALSE(bench.queue.empty());
  bench.wait();
}

TEST_CASE("what a lost device had is forgotten, and every event is given back") {
  Bench bench;
  for (int i = 0; i < 10; ++i)
    bench.launch(1ms);
  bench.time.lost = true;
  CHECK(bench.queue.empty());
  CHECK_FALSE(bench.queue.full());
  bench.queue.close();
  CHECK(bench.time.events.empty());
}

TEST_CASE("a stream's last work is still accounted for when it is destroyed") {
  Bench bench;
  for (int i = 0; i < 6; ++i) {
    bench.launch(20us, stream(1));
    bench.wait();
  }
  bench.launch(20us, stream(1)); // not measured, not marked
  bench.queue.forget(stream(1));
  bench.wait();
  CHECK(bench.queue.busy() > 139us);
  CHECK(bench.queue.busy() < 141us);
}
