// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/task_memory.h"

#include "domA/device/shared/quota_test_fixture.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;
using pegasus::device::Address;
using pegasus::device::Status;
using pegasus::shared::test::QuotaMemory;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

} // namespace

TEST_CASE("what is reserved counts until it is charged") {
  QuotaMemory quota(100 * mebibyte);
  TaskMemory memory(64 * mebibyte, quota.take(0, 1, {3 * mebibyte}));
  CHECK(!memory.reserve(4 * mebibyte));
  CHECK(!memory.reserve(~std::uint64_t{0}));
  REQUIRE(memory.reserve(2 * mebibyte));
  CHECK(quota.books.used_bytes(1) == 2 * mebibyte);
  memory.give_back();
  CHECK(quota.books.used_bytes(1) == 0);
}

TEST_CASE("what others took is charged, but is not the program's to free") {
  QuotaMemory quota(100 * mebibyte);
  TaskMemory memory(64 * mebibyte, quota.take(0, 1, {3 * mebibyte}));
  Address const heap = memory.memory().allocate(2 * mebibyte);
  REQUIRE(memory.charge_used());
  Address own = 0;
  CHECK(memory.allocate(2 * mebibyte, own) == Status::out_of_memory);
  CHECK(memory.free(heap) == Status::invalid_value);
  CHECK(memory.allocate(mebibyte, own) == Status::success);
  CHECK(memory.free(own) == Status::success);
  CHECK(quota.books.used_bytes(1) == 2 * mebibyte);
}
