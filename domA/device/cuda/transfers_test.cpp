// SPDX-License-Identifier: Apache-2.0
// Fills and copies within the device, with a driver in virtual time.
#include "domA/device/cuda/transfers.h"

#include "domA/device/cuda/testing/virtual_transfers.h"

#include <catch2/catch.hpp>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
using namespace std::chrono_literals;
namespace device = pegasus::device;
using device::Status;

namespace {

struct DeviceCopies : VirtualTransfers {
  std::shared_ptr<KernelTime> kernel = std::make_shared<KernelTime>();
  GateSlice slice;

  DeviceCopies() { (void)ranges.add({0x10000, 1 << 20}, pegasus::memory::Owner::program, 0); }
  void launch(Nanos takes) {
    queue.begin(nullptr, *kernel, 1);
    time.submit(nullptr, {nullptr, takes});
    queue.end(kernel, 1);
  }
  Status fill() { return transfers.fill(nullptr, {0x10000, 0, 4096, 1}, 0, 1); }
  Status copy() { return transfers.within_device(nullptr, {0x10000, 0, 4096, 1}, 0x20000, 0); }
};

} // namespace

TEST_CASE("a fill or a copy that waits for room looks at the gate") {
  DeviceCopies fixture;
  bool const fills = GENERATE(true, false);
  auto const submit = [&] { return fills ? fixture.fill() : fixture.copy(); };
  fixture.launch(50ms); // of unknown time: the queue is full
  REQUIRE(submit() == Status::not_ready);
  CHECK(fixture.transfers.waiting());
  fixture.slice.closed = true;
  CHECK(fixture.transfers.resume(fixture.slice) == Status::not_ready);
  CHECK(fixture.time.now < 1ms);
  CHECK(fixture.time.fills == 0);
  fixture.slice.closed = false;
  fixture.time.now = 50ms;
  CHECK(fixture.transfers.resume(fixture.slice) == Status::success);
  CHECK(fixture.time.fills == 1);
  CHECK_FALSE(fixture.transfers.waiting());
}

TEST_CASE("a fill and a copy are submitted at once if there is room") {
  DeviceCopies fixture;
  CHECK(fixture.fill() == Status::success);
  fixture.time.now += 1ms;
  fixture.queue.collect();
  CHECK(fixture.copy() == Status::success);
  CHECK(fixture.time.fills == 2);
}
