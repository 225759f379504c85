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
    CHECK(resident_blocks(row.threads, row.shared_bytes) == row.blocks);
  }
}
