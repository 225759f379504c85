// SPDX-License-Identifier: Apache-2.0
// The memory that limits reserve is charged; the driver in this test reserves exactly that.
#include "domA/device/cuda/context_limits.h"

#include "domA/device/cuda/driver_memory.h"
#include "domA/device/memory/quota_test_fixture.h"

#include <catch2/catch.hpp>
#include <map>

using namespace pegasus::cuda;
using pegasus::device::Status;

namespace {

std::map<CUlimit, std::size_t>* in_force = nullptr;

Driver driver_with_limits() {
  Driver driver;
  driver.cuStreamCreateWithPriority = [](CUstream*, unsigned, int) { return CUDA_ERROR_NOT_SUPPORTED; };
  driver.cuEventCreate = [](CUevent*, unsigned) { return CUDA_ERROR_NOT_SUPPORTED; };
  driver.cuCtxSetLimit = [](CUlimit which, std::size_t value) {
    (*in_force)[which] = value;
    return CUDA_SUCCESS;
  };
  driver.cuCtxGetLimit = [](std::size_t* value, CUlimit which) {
    *value = (*in_force)[which];
    return CUDA_SUCCESS;
  };
  return driver;
}

constexpr std::uint64_t context_bytes = 100;
constexpr std::uint64_t mebi = 1 << 20;

struct Parts {
  explicit Parts(std::uint64_t share_bytes) : share(quota.take(0, 1, {share_bytes})) { in_force = &values; }
  [[nodiscard]] std::uint64_t charged() const { return quota.books.used_bytes(1); }

  std::map<CUlimit, std::size_t> values;
  Driver driver = driver_with_limits();
  DeviceFacts facts{.multiprocessors = 1, .compute_capability = 75, .resident_threads = 1000};
  pegasus::memory::test::QuotaMemory quota{1024 * mebi};
  pegasus::memory::Quota share;
  WorkQueue queue{driver, false, 1};
  TaskState state{driver, queue, -1};
  pegasus::memory::Ranges ranges;
  Transfers transfers{driver, queue, ranges, state};
  DriverMemory backing{driver, transfers, state};
  pegasus::memory::TaskMemory memory{ranges, backing, share, context_bytes};
  ContextLimits limits{driver, facts, memory, state};
};

} // namespace

TEST_CASE("a limit beyond a new context's is charged, and given back with it") {
  Parts parts(64 * mebi);
  std::uint64_t value = 3024; // 2000 bytes more for each of 1000 threads
  CHECK(parts.limits.set(CU_LIMIT_STACK_SIZE, value) == Status::success);
  CHECK(parts.charged() == context_bytes + 2'000'000);
  value = 9 * mebi;
  CHECK(parts.limits.set(CU_LIMIT_MALLOC_HEAP_SIZE, value) == Status::success);
  CHECK(parts.charged() == context_bytes + 2'000'000 + mebi);
  value = 512;
  CHECK(parts.limits.set(CU_LIMIT_STACK_SIZE, value) == Status::success);
  CHECK(parts.charged() == context_bytes + mebi);
}

TEST_CASE("what does not fit the share, or is too much for any, is refused and changes nothing") {
  Parts parts(2 * mebi);
  std::uint64_t value = 16 * mebi;
  CHECK(parts.limits.set(CU_LIMIT_MALLOC_HEAP_SIZE, value) == Status::out_of_memory);
  value = 1 << 20;
  CHECK(parts.limits.set(CU_LIMIT_STACK_SIZE, value) == Status::invalid_value);
  CHECK(parts.limits.set(CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH, value) == Status::not_supported);
  CHECK(parts.values.empty());
  CHECK(parts.memory.used() == context_bytes);
}

TEST_CASE("a limit is charged as it is in force, whatever the driver says of it") {
  Parts parts(64 * mebi);
  std::uint64_t value = 9 * mebi;
  SECTION("nothing") {
    parts.driver.cuCtxGetLimit = [](std::size_t*, CUlimit) { return CUDA_ERROR_UNKNOWN; };
    CHECK(parts.limits.set(CU_LIMIT_MALLOC_HEAP_SIZE, value) == Status::unknown);
    CHECK(parts.charged() == context_bytes + mebi);
  }
  SECTION("more than any program may have") {
    parts.driver.cuCtxGetLimit = [](std::size_t* now, CUlimit) {
      *now = ~std::size_t{0};
      return CUDA_SUCCESS;
    };
    CHECK(parts.limits.set(CU_LIMIT_MALLOC_HEAP_SIZE, value) == Status::success);
    CHECK(value == 9 * mebi);
    CHECK(parts.charged() == context_bytes + mebi);
  }
  SECTION("more than fits the share") {
    parts.driver.cuCtxGetLimit = [](std::size_t* now, CUlimit) {
      *now = 100 * mebi;
      return CUDA_SUCCESS;
    };
    CHECK(parts.limits.set(CU_LIMIT_MALLOC_HEAP_SIZE, value) == Status::success);
    CHECK(parts.charged() == context_bytes + mebi);
  }
  CHECK(parts.memory.used() == parts.charged());
}

TEST_CASE("stacks of more threads than can be counted do not fit") {
  Parts parts(64 * mebi);
  parts.facts.resident_threads = std::uint64_t{1} << 62;
  std::uint64_t value = 1024 + 4;
  CHECK(parts.limits.set(CU_LIMIT_STACK_SIZE, value) == Status::out_of_memory);
}

TEST_CASE("a number that is no limit is refused") {
  Parts parts(64 * mebi);
  std::uint64_t value = 1;
  CHECK(parts.limits.set(0x60000000, value) == Status::not_supported);
}
