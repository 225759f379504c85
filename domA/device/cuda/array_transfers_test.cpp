// SPDX-License-Identifier: Apache-2.0
// Copies to, from and between arrays, by the addresses that a program has for them.
#include "domA/device/cuda/testing/virtual_arrays.h"

#include "domA/device/array_levels.h"
#include "domA/device/cuda/arrays.h"
#include "domA/device/cuda/driver_memory.h"

#include <catch2/catch.hpp>
#include <memory>

using namespace pegasus::cuda;
using namespace pegasus::cuda::testing;
using namespace std::chrono_literals;
namespace device = pegasus::device;
using device::Address;
using device::ArrayShape;
using device::Rect;
using device::Status;

namespace {

constexpr ArrayShape block{.width = 8, .height = 4, .depth = 3, .levels = 2}; // rows of 32 bytes
constexpr std::uint64_t row = 32, slice = 128, all = 384;

struct ArrayCopies : VirtualArrays {
  DriverMemory backing{driver, transfers, state};
  pegasus::memory::TaskMemory memory{ranges, backing, {}};
  DriverArrays arrays{driver, transfers, memory, state};
  Address base = 0, plain = 0;
  Contents numbers = Contents(all);

  ArrayCopies() {
    time.fill_takes = Nanos{0};
    REQUIRE(arrays.create(block, base) == Status::success);
    REQUIRE(memory.allocate(4096, plain) == Status::success);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<std::byte>(i % 251);
    contents.copies = 0;
  }
  Status put(Rect const& target, std::size_t bytes) {
    return transfers.to_device(nullptr, target, std::span(numbers).first(bytes));
  }
  [[nodiscard]] Contents get(Rect const& source) {
    Contents bytes(source.row_bytes * source.rows);
    REQUIRE(transfers.from_device(nullptr, bytes, source) == Status::success);
    return bytes;
  }
  [[nodiscard]] Contents first(std::size_t bytes) const {
    return {numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(bytes)};
  }
  [[nodiscard]] Contents& level(std::size_t number) {
    return contents.arrays.at(transfers.arrays().find(base)->levels[number].handle).bytes;
  }
};

} // namespace

TEST_CASE("what is copied to an array is copied from it, level by level") {
  ArrayCopies context;
  std::uint64_t const second = device::level_of(block, 1).offset;
  REQUIRE(context.put({context.base, 0, all, 1}, all) == Status::success);
  CHECK(context.contents.copies == 1);
  CHECK(context.level(0) == context.numbers);
  REQUIRE(context.put({context.base + second, 16, 16, 2}, 32) == Status::success);
  CHECK(context.get({context.base, row, row, 12}) == context.numbers);
  CHECK(context.get({context.base + second, 0, 32, 1}) == context.first(32));
  CHECK(context.level(0) == context.numbers);
  Contents const middle = context.get({context.base + row + 8, row, 8, 5});
  for (std::size_t y = 0; y < 5; ++y)
    for (std::size_t x = 0; x < 8; ++x)
      CHECK(middle[y * 8 + x] == context.numbers[(y + 1) * row + 8 + x]);
}

TEST_CASE("the device may read a copy's source until it is counted as done") {
  ArrayCopies context;
  context.time.fill_takes = 1ms;
  REQUIRE(context.put({context.base + 4, 0, all - 8, 1}, all - 8) == Status::success);
  CHECK(context.contents.copies == 5);
  CHECK(context.transfers.host_reads().begun == 1);
  CHECK(context.transfers.host_reads().done == 0);
  context.time.now = 5ms;
  CHECK(context.transfers.host_reads().done == 1);
  SECTION("also where a later part of it failed") {
    context.contents.copies_left = 2;
    CHECK(context.put({context.base + 4, 0, all - 8, 1}, all - 8) == Status::invalid_value);
    CHECK(context.transfers.host_reads().begun == 2);
    CHECK(context.transfers.host_reads().done == 1);
  }
  SECTION("and writes no target after a copy that failed has returned") {
    context.contents.copies_left = 2;
    Contents bytes(all - 8);
    CHECK(context.transfers.from_device(nullptr, bytes, {context.base + 4, 0, all - 8, 1}) ==
          Status::invalid_value);
    CHECK(context.time.now == 7ms);
  }
}

TEST_CASE("arrays and memory are copied to each other on the device") {
  ArrayCopies context;
  Address other = 0;
  REQUIRE(context.arrays.create({.width = 8, .height = 12}, other) == Status::success);
  REQUIRE(context.put({context.base, 0, all, 1}, all) == Status::success);
  context.contents.copies = 0;
  REQUIRE(context.transfers.within_device(nullptr, {context.plain, 40, row, 12}, context.base, row) ==
          Status::success);
  CHECK(context.contents.copies == 1);
  REQUIRE(context.transfers.within_device(nullptr, {other, row, row, 12}, context.plain, 40) ==
          Status::success);
  CHECK(context.get({other, 0, all, 1}) == context.numbers);
  REQUIRE(context.transfers.within_device(nullptr, {context.base, row, row, 6}, other + slice, row) ==
          Status::success);
  CHECK(context.get({context.base, 0, 6 * row, 1}) ==
        Contents(context.numbers.begin() + slice, context.numbers.begin() + slice + 6 * row));
}

TEST_CASE("a copy between arrays waits for room as any other") {
  ArrayCopies context;
  REQUIRE(context.queue.empty());
  auto const kernel = std::make_shared<KernelTime>();
  for (int i = 0; i < 2; ++i) { // of unknown time: the queue is full
    context.queue.begin(nullptr, *kernel, 1);
    context.time.submit(nullptr, {nullptr, 25ms});
    context.queue.end(kernel, 1);
  }
  REQUIRE(context.transfers.within_device(nullptr, {context.plain, 0, all, 1}, context.base, 0) ==
          Status::not_ready);
  CHECK(context.transfers.waiting());
  GateSlice closed;
  closed.closed = true;
  CHECK(context.transfers.resume(closed) == Status::not_ready);
  CHECK(context.contents.copies == 0);
  context.time.now = 50ms;
  CHECK(context.transfers.resume(GateSlice()) == Status::success);
  CHECK(context.contents.copies == 1);
  CHECK_FALSE(context.transfers.waiting());
}

TEST_CASE("only what lies within one level is copied, and nothing else is done with it") {
  ArrayCopies context;
  auto const refused = [&](Rect const& rect) {
    std::uint64_t const bytes = rect.row_bytes * rect.rows;
    REQUIRE(bytes <= all);
    Contents target(bytes);
    CHECK(context.put(rect, bytes) == Status::invalid_value);
    CHECK(context.transfers.from_device(nullptr, target, rect) == Status::invalid_value);
    CHECK(context.transfers.within_device(nullptr, rect, context.plain, row) == Status::invalid_value);
    CHECK(context.transfers.within_device(nullptr, {context.plain, row, rect.row_bytes, rect.rows},
                                          rect.address, rect.pitch) == Status::invalid_value);
  };
  Address const base = context.base;
  refused({base + 4, 0, all, 1});           // behind the level, which ends in a gap
  refused({base + all, 0, 4, 1});           // in the gap
  refused({base + all - row, row, row, 2}); // ... by rows
  refused({base - 4, 0, 4, 1});             // before the array
  refused({base + (1 << 16), 0, 4, 1});     // behind it
  refused({base + 2, 0, 4, 1});             // a piece of a texel
  refused({base, 0, 3, 1});
  refused({base, 4, 8, 2}); // rows that overlap
  refused({base, ~std::uint64_t{0}, 4, 2});
  CHECK(context.put({base, 0, 8, 1}, 4) == Status::invalid_value); // fewer bytes than rows
  CHECK(context.transfers.within_device(nullptr, {base, 0, 64, 1}, 0x10, 0) == Status::invalid_value);
  CHECK(context.transfers.within_device(nullptr, {context.plain + 4090, 0, 64, 1}, base, 0) ==
        Status::invalid_value);
  CHECK(context.transfers.fill(nullptr, {base, 0, 64, 1}, 1, 1) == Status::invalid_value);
  CHECK(context.contents.copies == 0);
  CHECK(std::ranges::all_of(context.level(0), [](std::byte byte) { return byte == std::byte{0}; }));
}
