// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/device_limits.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;

TEST_CASE("resident blocks: by warps, by shared memory in granules, and a maximum") {
  struct Row {
    std::uint64_t threads, shared_bytes;
    std::uint32_t blocks;
  };
  Row const rows[] = {
      {1024, 0, 1},
      {1025, 0, 0},
      {512, 0, 2},
      {256, 0, 4},
      {33, 0, 16},
      {65, 0, 10},
      {1, 0, 16},
      {0, 0, 0},
      {64, 4096, 16},
      {64, 4097, 15},
      {64, 32 << 10, 2},
      {64, 64 << 10, 1},
      {64, (64 << 10) + 1, 0},
      {256, 16 << 10, 4},
      {256, 17 << 10, 3},
  };
  for (Row const& row : rows) {
    INFO(row.threads << " threads, " << row.shared_bytes << " bytes");
    CHECK(resident_blocks(device_limits_of(75), row.threads, row.shared_bytes) == row.blocks);
  }
}

TEST_CASE("resident blocks of compute capability 8.0: the system takes 1 KiB for each") {
  DeviceLimits const& limits = device_limits_of(80);
  CHECK(resident_blocks(limits, 1024, 0) == 2);
  CHECK(resident_blocks(limits, 32, 0) == 32);
  CHECK(resident_blocks(limits, 32, 4096) == 32);
  CHECK(resident_blocks(limits, 32, 4225) == 31);
  CHECK(resident_blocks(limits, 32, 81 << 10) == 2);
  CHECK(resident_blocks(limits, 32, (81 << 10) + 1) == 1);
  CHECK(resident_blocks(limits, 32, 163 << 10) == 1);
  CHECK(resident_blocks(limits, 32, (163 << 10) + 1) == 0);
}

TEST_CASE("an unknown compute capability is the default") {
  CHECK(device_limits_of(0).compute_capability == 75);
  CHECK(device_limits_of(86).compute_capability == 75);
  CHECK(device_limits_of(80).compute_capability == 80);
}
