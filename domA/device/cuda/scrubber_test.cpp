// SPDX-License-Identifier: Apache-2.0
// No work of a program is done before the memory that it may use is zero.
#include "domA/device/cuda/scrubber.h"

#include "domA/device/cuda/driver_memory.h"
#include "domA/device/cuda/testing/virtual_transfers.h"
#include "domA/device/memory/task_memory.h"

#include <array>
#include <catch2/catch.hpp>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
using namespace std::chrono_literals;
namespace device = pegasus::device;
using device::Status;

namespace {

struct FreshMemory : VirtualTransfers {
  DriverMemory backing{driver, transfers, state};
  pegasus::memory::TaskMemory memory{ranges, backing, {}};
  device::Address address = 0;

  FreshMemory() { time.fill_takes = 20ms; }
  Status allocate() { return memory.allocate(4096, address); }
  [[nodiscard]] Nanos done_at(CUstream on) { return time.free_at[on]; }
};

} // namespace

TEST_CASE("memory is allocated at once, and work that may use it waits for the zeroes") {
  FreshMemory fixture;
  REQUIRE(fixture.allocate() == Status::success);
  CHECK(fixture.time.now == 0ns);
  std::array<std::byte, 4096> bytes{};
  device::Rect const all{fixture.address, 0, 4096, 1};
  CUstream const on = CU_STREAM_LEGACY;
  SECTION("a copy to it") {
    REQUIRE(fixture.transfers.to_device(nullptr, all, bytes) == Status::success);
    CHECK(fixture.done_at(on) == 40ms);
  }
  SECTION("a copy from it") {
    REQUIRE(fixture.transfers.from_device(nullptr, bytes, all) == Status::success);
    CHECK(fixture.time.now == 40ms);
  }
  SECTION("a kernel") {
    REQUIRE(fixture.transfers.scrubber().order(on) == CUDA_SUCCESS);
    CHECK(fixture.done_at(on) == 20ms);
  }
  SECTION("a fill, a copy within the device") {
    fixture.time.now = 1ms;
    fixture.queue.slice_lasts(Nanos::max());
    Status status = GENERATE(true, false) ? fixture.transfers.fill(nullptr, all, 1, 1)
                                          : fixture.transfers.within_device(nullptr, all, fixture.address, 0);
    if (status == Status::not_ready) status = fixture.transfers.resume(GateSlice());
    REQUIRE(status == Status::success);
    CHECK(fixture.done_at(on) >= 40ms);
  }
}

TEST_CASE("each stream waits once, a new stream too, and none when the zeroes are there") {
  FreshMemory fixture;
  Scrubber& scrubber = fixture.transfers.scrubber();
  REQUIRE(fixture.allocate() == Status::success);
  for (int i = 0; i < 3; ++i)
    for (std::uintptr_t number = 1; number <= 2; ++number)
      REQUIRE(scrubber.order(stream(number)) == CUDA_SUCCESS);
  CHECK(fixture.time.waits == 2);
  scrubber.is_new(stream(1)); // the driver gave the same handle again
  fixture.time.free_at.erase(stream(1));
  REQUIRE(scrubber.order(stream(1)) == CUDA_SUCCESS);
  CHECK(fixture.done_at(stream(1)) == 20ms);
  fixture.time.now = 5ms;
  REQUIRE(scrubber.scrub(0x1000, 4096) == CUDA_SUCCESS); // later zeroes: all wait again
  REQUIRE(scrubber.order(stream(2)) == CUDA_SUCCESS);
  CHECK(fixture.done_at(stream(2)) == 40ms);
  fixture.time.now = 40ms;
  unsigned const before = fixture.time.waits;
  REQUIRE(scrubber.order(stream(3)) == CUDA_SUCCESS);
  CHECK(fixture.time.waits == before);
}

TEST_CASE("work that cannot be made to wait is not submitted") {
  FreshMemory fixture;
  std::array<std::byte, 4096> bytes{};
  REQUIRE(fixture.allocate() == Status::success);
  fixture.time.can_wait = false;
  CHECK(fixture.transfers.from_device(nullptr, bytes, {fixture.address, 0, 4096, 1}) ==
        Status::invalid_handle);
  CHECK(fixture.transfers.to_device(nullptr, {fixture.address, 0, 4096, 1}, bytes) == Status::invalid_handle);
  CHECK(fixture.done_at(CU_STREAM_LEGACY) <= 20ms); // no copy
}

TEST_CASE("memory is freed when the zeroes have arrived, not before") {
  FreshMemory fixture;
  REQUIRE(fixture.allocate() == Status::success);
  REQUIRE(fixture.memory.free(fixture.address) == Status::success);
  REQUIRE(fixture.time.freed_at.size() == 1);
  CHECK(fixture.time.freed_at[0] == 20ms);
}

TEST_CASE("a driver without events for it is waited for") {
  FreshMemory fixture;
  Driver without = fixture.driver;
  without.cuEventCreate = [](CUevent*, unsigned) { return CUDA_ERROR_OUT_OF_MEMORY; };
  Scrubber scrubber(without);
  REQUIRE(scrubber.scrub(0x1000, 4096) == CUDA_SUCCESS);
  CHECK(fixture.time.now == 20ms);
  CHECK(scrubber.order(stream(1)) == CUDA_SUCCESS);
}

TEST_CASE("after a wait that failed, work still waits for the zeroes") {
  FreshMemory fixture;
  Driver failing = fixture.driver;
  failing.cuEventSynchronize = [](CUevent) { return CUDA_ERROR_OUT_OF_MEMORY; };
  Scrubber scrubber(failing);
  REQUIRE(scrubber.scrub(0x1000, 4096) == CUDA_SUCCESS);
  CHECK(scrubber.finish() == CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE(scrubber.order(stream(1)) == CUDA_SUCCESS);
  CHECK(fixture.done_at(stream(1)) == 20ms);
}

TEST_CASE("earlier zeroes are waited for although the driver failed to order the last ones") {
  FreshMemory fixture;
  Driver failing = fixture.driver;
  Scrubber scrubber(failing);
  REQUIRE(scrubber.scrub(0x1000, 4096) == CUDA_SUCCESS);
  failing.cuEventRecord = [](CUevent, CUstream) { return CUDA_ERROR_OUT_OF_MEMORY; };
  failing.cuStreamSynchronize = [](CUstream) { return CUDA_ERROR_OUT_OF_MEMORY; };
  CHECK(scrubber.scrub(0x2000, 4096) == CUDA_ERROR_OUT_OF_MEMORY);
  REQUIRE(scrubber.order(stream(1)) == CUDA_SUCCESS);
  CHECK(fixture.done_at(stream(1)) == 20ms);
}

TEST_CASE("memory that a driver gives twice, or nowhere, is not the program's") {
  FreshMemory fixture;
  REQUIRE(fixture.allocate() == Status::success);
  fixture.time.fresh = 0;
  CHECK(fixture.allocate() == Status::unknown);
  CHECK(fixture.memory.used() == 4096);
  CHECK(fixture.time.freed_at.empty());
  fixture.driver.cuMemAlloc = [](CUdeviceptr* address, std::size_t) {
    *address = 0;
    return CUDA_SUCCESS;
  };
  CHECK(fixture.allocate() == Status::unknown);
  CHECK(fixture.memory.used() == 4096);
}

TEST_CASE("memory that can be neither zeroed nor freed is charged, and the context is lost") {
  FreshMemory fixture;
  fixture.driver.cuMemsetD8Async = [](CUdeviceptr, unsigned char, std::size_t, CUstream) {
    return CUDA_ERROR_INVALID_VALUE;
  };
  SECTION("zeroed") {
    CHECK(fixture.allocate() == Status::invalid_value);
    CHECK(fixture.memory.used() == 0);
    CHECK(fixture.state.lost() == Status::success);
  }
  SECTION("nor freed") {
    fixture.driver.cuMemFree = [](CUdeviceptr) { return CUDA_ERROR_INVALID_VALUE; };
    CHECK(fixture.allocate() == Status::invalid_value);
    CHECK(fixture.memory.used() == 4096);
    CHECK(fixture.state.lost() == Status::unknown);
  }
}
