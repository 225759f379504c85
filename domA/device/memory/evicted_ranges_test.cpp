// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/evicted_ranges.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <iterator>
#include <span>
#include <vector>

using namespace pegasus::memory;
using pegasus::device::Address;
using pegasus::device::Range;
using pegasus::device::Status;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr Address base = 0x10000;

// Flat memory that is mapped in granules. After `operations` of them each one fails.
class FlatMemory final : public Backing {
public:
  std::uint64_t granule() const override { return 256; }
  Status room(Room&) override { return Status::success; }
  Status reserve(std::uint64_t, Address&) override { return Status::not_supported; }
  Status release(Range) override { return Status::not_supported; }
  Status map(Range range) override {
    if (fails()) return Status::out_of_memory;
    set(range, false, true);
    std::memset(at(range), 0, range.bytes);
    return Status::success;
  }
  Status unmap(Range range) override {
    if (fails()) return Status::unknown;
    set(range, true, false);
    std::memset(at(range), 0xee, range.bytes); // the next owner's
    return Status::success;
  }
  Status read(Range range, std::span<std::byte> to) override {
    if (fails()) return Status::unknown;
    check(range, true);
    REQUIRE(to.size() == range.bytes);
    std::memcpy(to.data(), at(range), range.bytes);
    return Status::success;
  }
  Status write(Range range, std::span<std::byte const> from) override {
    if (fails()) {
      set(range, true, false); // as a driver that maps and copies at once
      return Status::unknown;
    }
    REQUIRE(from.size() == range.bytes);
    std::memcpy(at(range), from.data(), range.bytes);
    return Status::success;
  }
  void lose_task() override {}

  [[nodiscard]] std::byte* at(Range range) { return bytes.data() + (range.base - base); }
  void set(Range range, bool from, bool to) {
    check(range, from);
    std::ranges::fill(granules_of(range), to);
  }
  void check(Range range, bool is) {
    REQUIRE(range.base % 256 == 0);
    REQUIRE(std::ranges::count(granules_of(range), is) == std::ssize(granules_of(range)));
  }
  [[nodiscard]] std::span<bool> granules_of(Range range) {
    return std::span(mapped).subspan((range.base - base) / 256, (range.bytes + 255) / 256);
  }
  [[nodiscard]] std::int64_t granules() const { return std::ranges::count(mapped, true); }
  [[nodiscard]] bool fails() { return ++done > operations; }

  std::vector<std::byte> bytes = std::vector<std::byte>(24 * mebibyte);
  std::array<bool, 24 * mebibyte / 256> mapped{};
  std::size_t operations = ~std::size_t{0}, done = 0;
};

// Small ranges, large ones and one of exactly a batch, with gaps in between, each filled with its own bytes.
struct Ranged {
  FlatMemory memory;
  Ranges ranges;
  std::vector<std::byte> before;

  explicit Ranged(std::vector<std::uint64_t> const& sizes) {
    Address next = base;
    for (std::uint64_t const size : sizes) {
      std::uint64_t const charged = (size + 255) / 256 * 256;
      REQUIRE(ranges.add({next, size}, Owner::program, charged));
      memory.set({next, size}, false, true);
      for (std::uint64_t offset = 0; offset < size; offset += 64)
        memory.at({next, size})[offset] = static_cast<std::byte>(next / 256 + offset / 64 * 7 + 1);
      next += charged + 256;
    }
    before = memory.bytes;
  }
  [[nodiscard]] bool whole() {
    for (auto const& [range, charged] : ranges.on_device()) {
      memory.check(range, true);
      if (std::memcmp(memory.at(range), before.data() + (range.base - base), range.bytes) != 0) return false;
    }
    return true;
  }
};

Ranged of_any_size() {
  static Ranged const made(
      {300, 9 * mebibyte + 100, 256, 256, 4 * mebibyte, 5000, 3 * mebibyte, 3 * mebibyte, 1});
  return made;
}

} // namespace

TEST_CASE("ranges of any size are evicted and come back") {
  Ranged task = of_any_size();
  EvictedRanges evicted;
  REQUIRE(evicted.evict(task.ranges, task.memory) == Status::success);
  CHECK(task.memory.granules() == 0);
  CHECK(evicted.bytes() == task.ranges.charged());
  std::size_t const done = task.memory.done;
  CHECK(evicted.evict(task.ranges, task.memory) == Status::success);
  CHECK(task.memory.done == done); // nothing is left
  REQUIRE(evicted.restore(task.memory) == Status::success);
  CHECK(evicted.bytes() == 0);
  CHECK(task.whole());
}

TEST_CASE("a task without memory has nothing to evict") {
  Ranged task(std::vector<std::uint64_t>{});
  EvictedRanges evicted;
  CHECK(evicted.evict(task.ranges, task.memory) == Status::success);
  CHECK(evicted.restore(task.memory) == Status::success);
  CHECK(task.memory.done == 0);
}

TEST_CASE("whatever fails on the way out, all is there or is brought back") {
  for (std::size_t operations = 0; operations < 32; ++operations) {
    INFO(operations << " operations");
    Ranged task = of_any_size();
    EvictedRanges evicted;
    task.memory.operations = operations;
    bool const failed = evicted.evict(task.ranges, task.memory) != Status::success;
    CHECK(failed == (task.memory.done > operations));
    CHECK(static_cast<std::uint64_t>(task.memory.granules()) * 256 + evicted.bytes() ==
          task.ranges.charged());
    task.memory.operations = ~std::size_t{0};
    SECTION("brought back") {}
    SECTION("taken out altogether, then brought back") {
      CHECK(evicted.evict(task.ranges, task.memory) == Status::success);
      CHECK(task.memory.granules() == 0);
    }
    CHECK(evicted.restore(task.memory) == Status::success);
    CHECK(task.whole());
  }
}

TEST_CASE("whatever fails on the way back comes back later") {
  for (std::size_t operations = 0; operations < 32; ++operations) {
    INFO(operations << " operations");
    Ranged task = of_any_size();
    EvictedRanges evicted;
    REQUIRE(evicted.evict(task.ranges, task.memory) == Status::success);
    task.memory.operations = task.memory.done + operations;
    bool const failed = evicted.restore(task.memory) != Status::success;
    CHECK(failed == (task.memory.done > task.memory.operations));
    CHECK(static_cast<std::uint64_t>(task.memory.granules()) * 256 + evicted.bytes() ==
          task.ranges.charged());
    task.memory.operations = ~std::size_t{0};
    SECTION("brought back") {}
    SECTION("taken out once more, then brought back") {
      CHECK(evicted.evict(task.ranges, task.memory) == Status::success);
      CHECK(task.memory.granules() == 0);
    }
    CHECK(evicted.restore(task.memory) == Status::success);
    CHECK(task.whole());
  }
}

TEST_CASE("small ranges share their copies") {
  Ranged task(std::vector<std::uint64_t>(20000, 256));
  EvictedRanges evicted;
  REQUIRE(evicted.evict(task.ranges, task.memory) == Status::success);
  CHECK(evicted.restore(task.memory) == Status::success);
  CHECK(task.whole());
}
