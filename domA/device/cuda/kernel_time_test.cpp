// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/kernel_time.h"

#include <catch2/catch.hpp>

using namespace pegasus::cuda;
using namespace std::chrono_literals;

TEST_CASE("the first five launches of a short kernel are measured, then one of sixteen") {
  KernelTime time;
  CHECK(time.expected(10) == 0ns);
  for (int i = 0; i < 5; ++i) {
    CHECK(time.wants_sample(10));
    time.sample(10, 20us);
  }
  unsigned measured = 0;
  for (int i = 0; i < 160; ++i)
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
  CHECK(piece_blocks(time, 10'000, 100, 2ms) == 100); // unknown
  CHECK(piece_blocks(time, 400, 100, 2ms) == 400);    // few waves
  time.sample(100, 1ms);
  CHECK(piece_blocks(time, 10'000, 100, 2ms) == 200); // 100 ms in total
  CHECK(piece_blocks(time, 200, 100, 2ms) == 200);
  CHECK(piece_blocks(time, 10'000, 1'000, 2ms) == 1'000);
}
