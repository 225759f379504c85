// SPDX-License-Identifier: Apache-2.0
// Launches, whole or in pieces, with a driver in virtual time.
#include "domA/device/cuda/launch.h"

#include "domA/device/cuda/driver_memory.h"
#include "domA/device/cuda/module.h"
#include "domA/device/cuda/testing/virtual_driver.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string_view>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
using namespace std::chrono_literals;
namespace device = pegasus::device;

namespace {

constexpr std::string_view text =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
constexpr std::uint32_t fatbin_cubin_or_ptx = 1; // MODULE_BEGIN in frontend/protocol/calls.h
constexpr unsigned multiprocessors = 100;        // each takes one block at a time

// Time passes while the worker waits. A slice never ends by itself.
struct LaunchSlice final : device::TimeSlice {
  bool others_wait = false;
  bool over() const override {
    timeline->now += 100us;
    return false;
  }
  device::Nanos ends_at() const override { return others_wait ? timeline->now + 1h : device::Nanos::max(); }
  device::PieceLimit limit;
  device::PieceLimit pieces() const override { return limit; }
};

struct Launches {
  Timeline time;
  Driver driver;
  WorkQueue queue{driver, false, 2, nullptr, [] { return timeline->now; }};
  TaskState state{driver, queue, -1};
  DeviceFacts facts{.multiprocessors = multiprocessors, .compute_capability = 75};
  pegasus::memory::Ranges ranges;
  Transfers transfers;
  DriverMemory backing{driver, transfers, state};
  pegasus::memory::TaskMemory memory{ranges, backing, {}};
  std::unique_ptr<CudaModule> module;
  CUstream on = nullptr;
  CudaFunction* kernel;
  LaunchSlice slice;

  Launches() : driver(made(time)), transfers(driver, queue, ranges, state) {
    load();
    time.kernel_takes = [](std::uint64_t blocks) { return Nanos(1000 * blocks); };
  }
  void load() {
    std::vector<std::byte> image(text.size() + 1);
    std::memcpy(image.data(), text.data(), text.size());
    CUmodule loaded = nullptr;
    (void)driver.cuModuleLoadDataEx(&loaded, image.data(), 0, nullptr, nullptr);
    module = std::make_unique<CudaModule>(ModuleHome{driver, facts, ranges, memory, state}, loaded, image,
                                          fatbin_cubin_or_ptx, 0);
    kernel = static_cast<CudaFunction*>(module->function("k"));
  }
  static Driver made(Timeline& time) {
    timeline = &time;
    return driver_in_virtual_time();
  }
  // How many launches the driver had to make of this one.
  std::size_t launch(std::uint32_t blocks, bool wait = true) {
    return launch({.grid = {blocks, 1, 1}, .block = {256, 1, 1}, .parameters = {}}, wait);
  }
  std::size_t launch(device::Launch const& launch, bool wait = true) {
    std::size_t const before = time.launched.size();
    PendingLaunch pending(driver, queue, transfers.scrubber(), on, *kernel, launch, 2ms);
    while (pending.go_on(slice) == CUDA_ERROR_NOT_READY)
      if (pending.compiles()) pending.compile();
    if (wait) finish();
    return time.launched.size() - before;
  }
  void finish() {
    while (!queue.empty())
      time.now += 10us;
  }
  [[nodiscard]] bool compiled() const { return time.modules_loaded > 1; }
};

} // namespace

TEST_CASE("a large grid is launched whole until it has proved long") {
  Launches fixture;
  fixture.slice.others_wait = true;
  SECTION("it is short") {
    fixture.time.kernel_takes = [](std::uint64_t) { return Nanos(50us); };
    for (int i = 0; i < 100; ++i)
      CHECK(fixture.launch(100'000) == 1);
    CHECK_FALSE(fixture.compiled());
  }
  SECTION("it is long: the first launch is whole, the others are split") {
    CHECK(fixture.launch(100'000) == 1);
    CHECK_FALSE(fixture.compiled());
    CHECK(fixture.launch(100'000) > 40);
    CHECK(fixture.compiled());
  }
  SECTION("without waiting in between") {
    CHECK(fixture.launch(100'000, false) == 1);
    CHECK(fixture.launch(100'000, false) > 40);
    fixture.finish();
  }
  SECTION("a small grid's time does not prove that") {
    fixture.time.kernel_takes = [](std::uint64_t blocks) { return Nanos(50us) + Nanos(blocks); };
    CHECK(fixture.launch(1) == 1);
    CHECK(fixture.launch(100'000) == 1);
    CHECK_FALSE(fixture.compiled());
  }
}

TEST_CASE("near another domain's request pieces are shorter, and end in time before") {
  Launches fixture;
  (void)fixture.launch(100'000); // of 100 ms
  fixture.slice.limit = {.from = fixture.time.now, .longest = 500us};
  CHECK(fixture.launch(100'000) >= 200);
  CHECK(fixture.compiled());
  SECTION("a kernel that is shorter than a slice is split, too") { // 1.6 ms
    (void)fixture.launch(1'600);
    CHECK(fixture.launch(1'600) >= 4);
  }
  SECTION("long before, they are as long as a slice") {
    fixture.slice.limit.from = fixture.time.now + 10s;
    std::size_t const pieces = fixture.launch(100'000);
    CHECK(pieces >= 50);
    CHECK(pieces < 60);
  }
  SECTION("the last one before ends by then") {
    fixture.slice.limit.from = fixture.time.now + 1ms;
    fixture.time.launched.clear();
    (void)fixture.launch(100'000);
    CHECK(fixture.time.launched.front().blocks <= 1'500);
  }
}

TEST_CASE("while no other domain waits nothing is compiled to split a kernel") {
  Launches fixture;
  for (int i = 0; i < 10; ++i)
    CHECK(fixture.launch(100'000) == 1);
  CHECK_FALSE(fixture.compiled());
  fixture.slice.others_wait = true; // a domain arrives
  CHECK(fixture.launch(100'000) > 40);
  CHECK(fixture.compiled());
  fixture.slice.others_wait = false; // it may come back
  CHECK(fixture.launch(100'000) > 40);
}

TEST_CASE("a kernel that became faster is launched whole again") {
  Launches fixture;
  fixture.slice.others_wait = true;
  (void)fixture.launch(100'000);
  CHECK(fixture.launch(100'000) > 40);
  fixture.time.kernel_takes = [](std::uint64_t) { return Nanos(50us); };
  for (int i = 0; i < 20; ++i)
    (void)fixture.launch(100'000);
  CHECK(fixture.launch(100'000) == 1);
}

TEST_CASE("a launch's attributes reach the driver") {
  Launches fixture;
  device::Launch launch{.grid = {8, 8, 8}, .block = {256, 1, 1}, .parameters = {}};
  launch.attributes = {.cluster = device::Dim3{1, 2, 4},
                       .preferred_cluster = device::Dim3{2, 4, 4},
                       .cluster_scheduling = CU_CLUSTER_SCHEDULING_POLICY_SPREAD,
                       .priority = -3,
                       .memory_domain = CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
                       .memory_domain_map = std::array<std::uint8_t, 2>{1, 2},
                       .carveout = 50,
                       .programmatic = true};
  fixture.launch(launch);
  std::map<CUlaunchAttributeID, CUlaunchAttributeValue> arrived;
  for (CUlaunchAttribute const& attribute : fixture.time.launched.back().attributes)
    arrived[attribute.id] = attribute.value;
  CHECK(arrived.size() == 8);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION].clusterDim.x == 1);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION].clusterDim.y == 2);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION].clusterDim.z == 4);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION].preferredClusterDim.y == 4);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE].clusterSchedulingPolicyPreference ==
        CU_CLUSTER_SCHEDULING_POLICY_SPREAD);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_PRIORITY].priority == -3);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN].memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP].memSyncDomainMap.remote == 2);
  CHECK(arrived[CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT].sharedMemCarveout == 50);
  CHECK(
      arrived[CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION].programmaticStreamSerializationAllowed !=
      0);
  CHECK_FALSE(arrived.contains(CU_LAUNCH_ATTRIBUTE_COOPERATIVE));
  launch.attributes = {};
  launch.cooperative = true;
  fixture.launch(launch);
  REQUIRE(fixture.time.launched.back().attributes.size() == 1);
  CHECK(fixture.time.launched.back().attributes[0].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
}

TEST_CASE("a long launch in clusters stays whole, a dependent one does not") {
  Launches fixture;
  fixture.slice.others_wait = true;
  device::Launch launch{.grid = {100'000, 1, 1}, .block = {256, 1, 1}, .parameters = {}};
  SECTION("in clusters") {
    launch.attributes.cluster = device::Dim3{2, 1, 1};
    CHECK(fixture.launch(launch) == 1);
    CHECK(fixture.launch(launch) == 1);
  }
  SECTION("as the kernel was compiled") {
    fixture.time.function_attributes[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = 2;
    fixture.load();
    CHECK(fixture.launch(launch) == 1);
    CHECK(fixture.launch(launch) == 1);
  }
  SECTION("as the program set it") {
    CHECK(fixture.kernel->set_attribute(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2) ==
          device::Status::success);
    CHECK(fixture.launch(launch) == 1);
    CHECK(fixture.launch(launch) == 1);
  }
  SECTION("one that depends on the launch before it") {
    launch.attributes.programmatic = true;
    CHECK(fixture.launch(launch) == 1);
    CHECK(fixture.launch(launch) > 40);
    CHECK(fixture.time.launched.back().attributes.empty());
  }
}

TEST_CASE("a kernel is done after the zeroes of memory that was allocated before it") {
  Launches fixture;
  fixture.on = stream(1);
  (void)fixture.launch(1);
  fixture.time.fill_takes = 20ms;
  REQUIRE(fixture.transfers.scrubber().scrub(0x1000, 4096) == CUDA_SUCCESS);
  Nanos const zeroed = fixture.time.now + 20ms;
  (void)fixture.launch(1, false);
  CHECK(fixture.time.free_at[stream(1)] > zeroed);
}

TEST_CASE("a driver that is not ready to launch has failed: the launch does not go on") {
  Launches fixture;
  fixture.driver.cuLaunchKernelEx = [](CUlaunchConfig const*, CUfunction, void**, void**) {
    return CUDA_ERROR_NOT_READY;
  };
  PendingLaunch pending(fixture.driver, fixture.queue, fixture.transfers.scrubber(), fixture.on,
                        *fixture.kernel, {.grid = {1, 1, 1}, .block = {256, 1, 1}, .parameters = {}}, 2ms);
  CHECK(pending.go_on(fixture.slice) == CUDA_ERROR_UNKNOWN);
}

TEST_CASE("parameters beyond what a launch can have end a kernel's") {
  Launches fixture;
  fixture.driver.cuFuncGetParamInfo = [](CUfunction, std::size_t index, std::size_t* offset,
                                         std::size_t* bytes) {
    *offset = index == 1 ? 0xffff'fffc : 0;
    *bytes = 8;
    return CUDA_SUCCESS;
  };
  auto* const kernel = static_cast<CudaFunction*>(fixture.module->function("another"));
  CHECK(kernel->info().parameters.size() == 1);
  CHECK(kernel->info().parameter_bytes == 8);
}

TEST_CASE("a number that is no attribute of a kernel is refused") {
  Launches fixture;
  CHECK(fixture.kernel->set_attribute(-1, 0) == device::Status::invalid_value);
  CHECK(fixture.kernel->set_attribute(0x60000000, 0) == device::Status::invalid_value);
}

TEST_CASE("a kernel that the driver does not find in its pieces' module stays whole") {
  Launches fixture;
  fixture.slice.others_wait = true;
  fixture.driver.cuModuleGetFunction = [](CUfunction* function, CUmodule, char const*) {
    *function = reinterpret_cast<CUfunction>(0xbad); // although it fails
    return CUDA_ERROR_NOT_FOUND;
  };
  CHECK(fixture.launch(10'000) == 1);
  CHECK(fixture.launch(10'000) == 1);
}
