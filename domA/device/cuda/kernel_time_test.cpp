// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/kernel_time.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

using namespace pegasus::cuda;
using namespace std::chrono_literals;

TEST_CASE("the first five launches of a short kernel are measured, then one in half a millisecond") {
  KernelTime time;
  CHECK(time.expected(10) == 0ns);
  for (int i = 0; i < 5; ++i) {
    CHECK(time.wants_sample(10));
    time.sample(10, 20us);
  }
  unsigned measured = 0;
  for (int i = 0; i < 250; ++i)
    if (time.wants_sample(10)) {
      ++measured;
      time.sample(10, 20us);
    }
  CHECK(measured == 10);
  CHECK(time.expected(10) == 20us);
}

TEST_CASE("every long launch is measured") {
  KernelTime time;
  for (int i = 0; i < 50; ++i) {
    CHECK(time.wants_sample(10));
    time.sample(10, 1ms);
  }
}

TEST_CASE("another size of grid is estimated in proportion, and measured anew") {
  KernelTime time;
  for (int i = 0; i < 8; ++i)
    time.sample(100, 50us);
  CHECK(time.expected(200) == 100us);
  CHECK(time.wants_sample(200));
  time.sample(200, 70us);
  CHECK(time.expected(200) == 70us);
}

namespace {

// Launches kernels with these numbers of blocks in turn; returns how many were measured.
unsigned launch_in_turn(KernelTime& time, std::vector<std::pair<std::uint64_t, Nanos>> const& sizes,
                        unsigned launches) {
  unsigned measured = 0;
  for (unsigned i = 0; i < launches; ++i) {
    auto const& [blocks, took] = sizes[i % sizes.size()];
    if (!time.wants_sample(blocks)) continue;
    ++measured;
    time.sample(blocks, took);
  }
  return measured;
}

void check_near(Nanos expected, Nanos right, double tolerance) {
  CHECK(static_cast<double>(expected.count()) ==
        Approx(static_cast<double>(right.count())).epsilon(tolerance));
}

} // namespace

TEST_CASE("sizes of grid that are used in turn are sampled like one, and each estimate is right") {
  KernelTime time;
  SECTION("far from proportional") {
    CHECK(launch_in_turn(time, {{100, 20us}, {10'000, 60us}}, 10'000) <= 400'000 / 450 + 12);
    CHECK(time.expected(100) == 20us);
    CHECK(time.expected(10'000) == 60us);
  }
  SECTION("of one class") {
    CHECK(launch_in_turn(time, {{70, 42us}, {120, 67us}}, 10'000) <= 545'000 / 350 + 12);
    check_near(time.expected(70), 42us, 0.1);
    check_near(time.expected(120), 67us, 0.1);
    check_near(time.expected(70) + time.expected(120), 109us, 0.03); // what both are charged
  }
  SECTION("many") {
    std::vector<std::pair<std::uint64_t, Nanos>> sizes;
    for (std::uint64_t blocks = 1; blocks <= 1 << 16; blocks *= 2)
      sizes.emplace_back(blocks, 5us + Nanos(blocks));
    CHECK(launch_in_turn(time, sizes, 100'000) <= 100'000 / 15 + 6 * sizes.size());
    for (auto const& [blocks, took] : sizes)
      check_near(time.expected(blocks), took, 0.001);
  }
}

TEST_CASE("a grid that grows and shrinks again is known at each size") {
  KernelTime time;
  for (std::uint64_t blocks = 1; blocks <= 1 << 20; blocks += 1 + blocks / 3) {
    if (time.wants_sample(blocks)) time.sample(blocks, Nanos(10 * blocks));
    check_near(time.expected(blocks), Nanos(10 * blocks), 0.001);
  }
  check_near(time.expected(1), 10ns, 0.001);
  CHECK(time.expected(1'000'000'000'000) == 10'000s);
  CHECK(time.expected(~std::uint64_t{0}) > 10'000s); // does not wrap
}

TEST_CASE("a kernel that suddenly takes a thousand times longer is measured within half a millisecond") {
  KernelTime time;
  (void)launch_in_turn(time, {{100, 20us}, {200, 30us}}, 1000 + GENERATE(0u, 1u, 7u, 12u));
  unsigned launches = 0;
  for (; !time.wants_sample(100); ++launches) {
  }
  CHECK(launches < 25);
  time.sample(100, 20ms);
  CHECK(time.expected(100) > 4ms);
  CHECK(time.wants_sample(100)); // each from now on
}

TEST_CASE("a program's next phase is followed") {
  KernelTime time;
  for (int i = 0; i < 10; ++i)
    time.sample(1, 10us);
  for (int i = 0; i < 12; ++i)
    time.sample(1, 20us);
  CHECK(time.expected(1) > 19us);
  CHECK(time.expected(1) <= 20us);
}

TEST_CASE("a piece takes a slice, and is no smaller than what runs at once") {
  KernelTime time;
  CHECK(piece_blocks(time, 10'000, 100, 2ms) == 10'000); // unknown
  time.sample(100, 1ms);
  CHECK(piece_blocks(time, 10'000, 100, 2ms) == 200); // 100 ms in total
  CHECK(piece_blocks(time, 200, 100, 2ms) == 200);
  CHECK(piece_blocks(time, 10'000, 1'000, 2ms) == 1'000);
}

TEST_CASE("pieces follow what pieces take, when the kernel becomes faster or slower than it was whole") {
  KernelTime time;
  time.sample(10'000, 100ms);
  CHECK(piece_blocks(time, 10'000, 100, 2ms) == 200);
  time.sample(200, 1ms);
  CHECK(piece_blocks(time, 10'000, 100, 2ms) == 400);
  for (int i = 0; i < 30; ++i)
    time.sample(200, 4ms);
  CHECK(piece_blocks(time, 10'000, 50, 2ms) < 110);
  CHECK(piece_blocks(time, 10'000, 50, 2ms) > 90);
}

TEST_CASE("a launch without blocks, which the driver refuses, leaves the others' times as they are") {
  KernelTime time;
  time.sample(0, 20us);
  CHECK(time.expected(0) == 1ns);
  CHECK(time.expected(10) == 200us);
}
