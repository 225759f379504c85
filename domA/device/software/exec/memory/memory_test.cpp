// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/memory/memory.h"

#include "domA/device/software/exec/memory/heap.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>

using namespace pegasus::software;

TEST_CASE("allocations are aligned, zeroed, counted and bounded") {
  Memory memory(1 << 20);
  Address const a = memory.allocate(1), b = memory.allocate(257);
  REQUIRE((a != 0 && b != 0 && a % 256 == 0 && b % 256 == 0 && a != b));
  CHECK(memory.used() == 256 + 512);
  CHECK(memory.ranges().containing(b + 256).base == b);
  CHECK(memory.ranges().containing(b + 257).bytes == 0);
  CHECK(memory.resolve(b, 257) != nullptr);
  CHECK(memory.resolve(b, 258) == nullptr);
  CHECK(memory.resolve(b + 256, ~std::uint64_t{0}) == nullptr);
  CHECK(memory.resolve(0, 1) == nullptr);
  CHECK(memory.resolve(~std::uint64_t{0}, 1) == nullptr);
  CHECK(memory.allocate(1 << 20) == 0);
  CHECK(memory.allocate(0) == 0);
  CHECK(memory.allocate(~std::uint64_t{0}) == 0);
  CHECK(!memory.free(b + 256));
  CHECK(!memory.free(b + 1));
  CHECK(!memory.free(1));
  CHECK(memory.free(b));
  CHECK(!memory.free(b));
  CHECK(memory.free(a));
  CHECK(memory.used() == 0);
  CHECK(memory.allocate(1 << 20) != 0);
}

TEST_CASE("what was freed reads as zero when it is handed out again") {
  Memory memory(4 << 20);
  for (std::uint64_t const bytes : {100ul, 5000ul, 1000000ul}) {
    Address const a = memory.allocate(bytes), guard = memory.allocate(300);
    std::memset(memory.resolve(a, bytes), 0xee, bytes);
    std::memset(memory.resolve(guard, 300), 0xdd, 300);
    REQUIRE(memory.free(a));
    Address const again = memory.allocate(bytes);
    std::byte const* const p = memory.resolve(again, bytes);
    CHECK(std::all_of(p, p + bytes, [](std::byte v) { return v == std::byte{0}; }));
    CHECK(*memory.resolve(guard, 300) == std::byte{0xdd});
    REQUIRE((memory.free(again) && memory.free(guard)));
  }
}

TEST_CASE("allocations never overlap, in any order of allocating and freeing") {
  Memory memory(8 << 20);
  std::mt19937 random(7);
  std::map<Address, std::uint64_t> live;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 3 != 0) {
      std::uint64_t const bytes = 1 + random() % 20000;
      Address const a = memory.allocate(bytes);
      if (a == 0) continue;
      auto const above = live.lower_bound(a);
      REQUIRE((above == live.end() || a + bytes <= above->first));
      REQUIRE((above == live.begin() || std::prev(above)->first + std::prev(above)->second <= a));
      live.emplace(a, bytes);
    } else if (!live.empty()) {
      auto const it = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      REQUIRE(memory.free(it->first));
      live.erase(it);
    }
  }
  for (auto const& [a, bytes] : live)
    REQUIRE(memory.free(a));
  CHECK(memory.used() == 0);
  CHECK(memory.ranges().nearest(1).bytes == 0);
}

TEST_CASE("the nearest allocation of a stray address") {
  Memory memory(1 << 20);
  Address const a = memory.allocate(100), b = memory.allocate(100);
  CHECK(memory.ranges().nearest(a + 101).base == a);
  CHECK(memory.ranges().nearest(b - 1).base == b);
  CHECK(memory.ranges().nearest(5).base == a);
  CHECK(memory.ranges().nearest(~std::uint64_t{0}).base == b);
}

TEST_CASE("the device heap hands out 16-byte aligned blocks until it is full") {
  Memory memory(1 << 20);
  DeviceHeap heap(memory, 1000);
  CHECK(memory.used() == 0); // nothing before a kernel's first request
  Address const a = heap.allocate(100), b = heap.allocate(0), c = heap.allocate(500);
  CHECK((a != 0 && b != 0 && c != 0 && a % 16 == 0 && b % 16 == 0 && c % 16 == 0));
  CHECK(heap.allocate(500) == 0);
  CHECK(!heap.free(a + 16));
  CHECK((heap.free(a) && heap.free(c) && heap.free(b)));
  CHECK(!heap.free(a));
  CHECK(heap.allocate(992) == a);
}
