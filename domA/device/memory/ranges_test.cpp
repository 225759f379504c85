// SPDX-License-Identifier: Apache-2.0
#include "domA/device/memory/ranges.h"

#include <catch2/catch.hpp>

using pegasus::device::Rect;
using pegasus::memory::Owner;
using pegasus::memory::Ranges;

TEST_CASE("what lies in one allocation may be named, and nothing else") {
  Ranges all;
  (void)all.add({0x1000, 0x100}, Owner::program, 0x100);
  (void)all.add({0x1100, 0x100}, Owner::program, 0x100); // directly behind it
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
  Ranges all;
  (void)all.add({0x1000, 0x100}, Owner::program, 0x100);
  (void)all.add({0x2000, 0x40}, Owner::task, 0); // a module's variable
  CHECK(all.of(0x1000, Owner::program).bytes == 0x100);
  CHECK(all.of(0x1001, Owner::program).bytes == 0);
  CHECK(all.of(0x2000, Owner::program).bytes == 0);
  CHECK(all.charged() == 0x100);
  CHECK(all.containing(0x2010).base == 0x2000);
  all.remove(0x1000, Owner::program);
  CHECK(all.charged() == 0);
  CHECK(all.containing(0x1000).bytes == 0);
}

TEST_CASE("a range that no driver that works would give is not taken") {
  Ranges all;
  REQUIRE(all.add({0x1000, 0x100}, Owner::program, 0x100));
  CHECK_FALSE(all.add({0x1000, 0x200}, Owner::program, 0x200));
  CHECK_FALSE(all.add({0xf80, 0x100}, Owner::program, 0x100));
  CHECK_FALSE(all.add({0x10ff, 1}, Owner::task, 0)); // a variable in the program's own memory
  CHECK_FALSE(all.add({0, 0x100}, Owner::program, 0x100));
  CHECK_FALSE(all.add({~std::uint64_t{0} - 0xff, 0x100}, Owner::program, 0x100));
  CHECK(all.charged() == 0x100);
}

TEST_CASE("an allocation replaces variables, and does not go with them") {
  Ranges all;
  REQUIRE(all.add({0x2000, 0x40}, Owner::task, 0));
  REQUIRE(all.add({0x2080, 0x40}, Owner::task, 0));
  REQUIRE(all.add({0x2000, 0x100}, Owner::program, 0x100));
  all.remove(0x2000, Owner::task);
  all.remove(0x2080, Owner::task);
  CHECK(all.of(0x2000, Owner::program).bytes == 0x100);
  CHECK(all.charged() == 0x100);
}

TEST_CASE("what is charged goes with its range, whoever takes its place") {
  Ranges all;
  REQUIRE(all.add({0x1000, 100}, Owner::task, 256));
  REQUIRE(all.add({0x2000, 100}, Owner::program, 512));
  CHECK(all.charged() == 768);
  all.remove(0x1000, Owner::program);
  CHECK(all.charged() == 768);
  REQUIRE(all.add({0x1000, 200}, Owner::program, 1024));
  CHECK(all.charged() == 1536);
}

TEST_CASE("the range nearest to an address") {
  Ranges all;
  CHECK(all.nearest(1).bytes == 0);
  REQUIRE(all.add({0x1000, 0x100}, Owner::program, 0));
  REQUIRE(all.add({0x2000, 0x100}, Owner::task, 0));
  CHECK(all.nearest(5).base == 0x1000);
  CHECK(all.nearest(0x1101).base == 0x1000);
  CHECK(all.nearest(0x1fff).base == 0x2000);
  CHECK(all.nearest(~std::uint64_t{0}).base == 0x2000);
}
