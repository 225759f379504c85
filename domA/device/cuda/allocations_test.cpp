// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/allocations.h"

#include <catch2/catch.hpp>

using pegasus::cuda::Allocations;
using pegasus::device::Rect;

TEST_CASE("what lies in one allocation may be named, and nothing else") {
  Allocations all;
  (void)all.add(0x1000, 0x100, true);
  (void)all.add(0x1100, 0x100, true); // directly behind it
  struct Row {
    Rect rect;
    bool inside;
  };
  constexpr std::uint64_t most = ~std::uint64_t{0};
  Row const rows[] = {
      {{0x1000, 0, 0x100, 1}, true},    {{0x1000, 0, 0x101, 1}, false}, // two allocations
      {{0x10ff, 0, 1, 1}, true},        {{0xfff, 0, 1, 1}, false},
      {{0x1200, 0, 1, 1}, false},       {{0x1000, 0x40, 0x40, 4}, true},
      {{0x1000, 0x40, 0x41, 4}, false}, // rows overlap
      {{0x1000, 0x50, 0x40, 4}, false}, {{0x1000, most, 1, 2}, false},
      {{0x1000, 2, 2, most}, false},    {{0, 0, 0, 1}, true}, // empty
  };
  for (auto const& [rect, inside] : rows) {
    INFO(rect.address << " + " << rect.row_bytes << " x " << rect.rows << " by " << rect.pitch);
    CHECK(all.contain(rect) == inside);
  }
}

TEST_CASE("only what the program allocated is its to free") {
  Allocations all;
  (void)all.add(0x1000, 0x100, true);
  (void)all.add(0x2000, 0x40, false); // a module's variable
  CHECK(all.own(0x1000) == 0x100);
  CHECK_FALSE(all.own(0x1001));
  CHECK_FALSE(all.own(0x2000));
  CHECK(all.own_bytes() == 0x100);
  CHECK(all.containing(0x2010).base == 0x2000);
  all.remove(0x1000, true);
  CHECK(all.own_bytes() == 0);
  CHECK(all.containing(0x1000).bytes == 0);
}

TEST_CASE("a range that no driver that works would give is not taken") {
  Allocations all;
  REQUIRE(all.add(0x1000, 0x100, true));
  CHECK_FALSE(all.add(0x1000, 0x200, true));
  CHECK_FALSE(all.add(0xf80, 0x100, true));
  CHECK_FALSE(all.add(0x10ff, 1, false)); // a variable in the program's own memory
  CHECK_FALSE(all.add(0, 0x100, true));
  CHECK_FALSE(all.add(~std::uint64_t{0} - 0xff, 0x100, true));
  CHECK(all.own_bytes() == 0x100);
}

TEST_CASE("an allocation replaces variables, and does not go with them") {
  Allocations all;
  REQUIRE(all.add(0x2000, 0x40, false));
  REQUIRE(all.add(0x2080, 0x40, false));
  REQUIRE(all.add(0x2000, 0x100, true));
  all.remove(0x2000, false);
  all.remove(0x2080, false);
  CHECK(all.own(0x2000) == 0x100);
  CHECK(all.own_bytes() == 0x100);
}
