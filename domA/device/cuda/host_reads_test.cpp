// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/host_reads.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pegasus::cuda;

namespace {

enum class State { recorded, done };
struct Device {
  std::map<CUevent, State> events;
  std::vector<CUevent> order; // in the order of recording
  std::uintptr_t made = 0;
  CUresult creates = CUDA_SUCCESS;
  CUresult fault = CUDA_SUCCESS;
  unsigned waits = 0;
};
Device* device = nullptr;

Driver driver_of_events() {
  Driver driver;
  driver.cuEventCreate = [](CUevent* event, unsigned) {
    if (device->creates == CUDA_SUCCESS) *event = reinterpret_cast<CUevent>(++device->made);
    return device->creates;
  };
  driver.cuEventDestroy = [](CUevent event) {
    return device->events.erase(event) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  };
  driver.cuEventRecord = [](CUevent event, CUstream) {
    device->events[event] = State::recorded;
    device->order.push_back(event);
    return CUDA_SUCCESS;
  };
  driver.cuEventQuery = [](CUevent event) {
    if (device->fault != CUDA_SUCCESS) return device->fault;
    return device->events.at(event) == State::done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  };
  driver.cuEventSynchronize = [](CUevent event) {
    device->events.at(event) = State::done;
    return device->fault;
  };
  driver.cuStreamSynchronize = [](CUstream) {
    ++device->waits;
    return device->fault;
  };
  return driver;
}

struct ReadsFixture {
  Device pretended;
  Driver driver = driver_of_events();
  HostReadQueue reads{driver};
  ReadsFixture() { device = &pretended; }
  void add(unsigned copies) {
    for (unsigned i = 0; i < copies; ++i)
      REQUIRE(reads.add(nullptr) == CUDA_SUCCESS);
  }
  void done(std::size_t copy) { pretended.events.at(pretended.order.at(copy)) = State::done; }
  std::uint64_t collected() {
    REQUIRE(reads.collect() == CUDA_SUCCESS);
    return reads.counts().done;
  }
};

} // namespace

TEST_CASE("copies end in the order in which they were begun, whichever stream is faster") {
  ReadsFixture fixture;
  fixture.add(3);
  CHECK(fixture.reads.counts().begun == 3);
  CHECK(fixture.collected() == 0);
  fixture.done(1);
  CHECK(fixture.collected() == 0);
  fixture.done(0);
  CHECK(fixture.collected() == 2);
  fixture.done(2);
  CHECK(fixture.collected() == 3);
}

TEST_CASE("finishing waits for all, and events are used again") {
  ReadsFixture fixture;
  for (int round = 0; round < 10; ++round) {
    fixture.add(4);
    CHECK(fixture.reads.finish() == CUDA_SUCCESS);
    CHECK(fixture.reads.counts().done == fixture.reads.counts().begun);
  }
  CHECK(fixture.pretended.made == 4);
  fixture.reads.close();
  CHECK(fixture.pretended.events.empty());
}

TEST_CASE("a lost device reads nothing more, and its error is told once") {
  ReadsFixture fixture;
  fixture.add(3);
  fixture.pretended.fault = CUDA_ERROR_ECC_UNCORRECTABLE;
  CHECK(fixture.reads.collect() == CUDA_ERROR_ECC_UNCORRECTABLE);
  CHECK(fixture.reads.counts().done == 3);
  CHECK(fixture.reads.collect() == CUDA_SUCCESS);
}

TEST_CASE("without an event a copy is waited for") {
  ReadsFixture fixture;
  fixture.pretended.creates = CUDA_ERROR_OUT_OF_MEMORY;
  fixture.add(2);
  CHECK(fixture.pretended.waits == 2);
  CHECK(fixture.reads.counts().begun == 0);
}

TEST_CASE("the events of copies that the driver does not finish are destroyed too") {
  ReadsFixture fixture;
  fixture.add(3);
  fixture.pretended.fault = CUDA_ERROR_NOT_READY;
  fixture.reads.close();
  CHECK(fixture.pretended.events.empty());
}
