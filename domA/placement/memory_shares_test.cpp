// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/memory_shares.h"

#include <catch2/catch.hpp>

using namespace pegasus::placement;
using Claims = std::vector<MemoryClaim>;
using Bytes = std::vector<std::uint64_t>;

namespace {

MemoryClaim idle(std::uint64_t limit) { return {limit, MemoryClaim::Of::idle}; }
MemoryClaim waiting(std::uint64_t limit) { return {limit, MemoryClaim::Of::waiting}; }
MemoryClaim used(std::uint64_t limit) { return {limit, MemoryClaim::Of::in_use}; }

} // namespace

TEST_CASE("a domain without a limit takes what is free") {
  CHECK(memory_shares(100, Claims{used(0), idle(0)}) == Bytes{100, 100});
}

TEST_CASE("a limit is kept free of those without one") {
  CHECK(memory_shares(100, Claims{used(0), used(30), idle(0), used(50)}) == Bytes{20, 30, 20, 50});
  CHECK(memory_shares(100, Claims{used(0), idle(30), used(70)}) == Bytes{0, 30, 70});
}

TEST_CASE("limits of domains that are not in use are kept free if all of them fit") {
  CHECK(memory_shares(100, Claims{used(0), idle(60), idle(70)}) == Bytes{100, 60, 70});
  CHECK(memory_shares(100, Claims{used(0), idle(200)}) == Bytes{100, 100});
  CHECK(memory_shares(100, Claims{used(0), idle(~0ull), idle(~0ull)}) == Bytes{100, 100, 100});
}

TEST_CASE("a promise to a domain in use is kept, whatever those want that are not") {
  CHECK(memory_shares(100, Claims{used(0), used(40), idle(70)}) == Bytes{60, 40, 70});
  CHECK(memory_shares(100, Claims{used(0), used(~0ull), used(40)}) == Bytes{0, 100, 40});
}

TEST_CASE("a domain without a limit leaves room for the largest of those that wait") {
  CHECK(memory_shares(100, Claims{used(0), used(50), waiting(70)}) == Bytes{30, 50, 70});
  CHECK(memory_shares(100, Claims{used(0), used(50), waiting(60), waiting(90)}) == Bytes{10, 50, 60, 90});
  CHECK(memory_shares(100, Claims{used(0), waiting(200)}) == Bytes{0, 100});
  CHECK(memory_shares(100, Claims{used(0), used(50), waiting(70), idle(20)}) == Bytes{10, 50, 70, 20});
}
