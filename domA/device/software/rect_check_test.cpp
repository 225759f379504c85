// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/rect_check.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace pegasus::software;

TEST_CASE("a rectangle must lie in one live allocation, to the byte") {
  Memory memory(1 << 20);
  Address const base = memory.allocate(1024);
  REQUIRE(base != 0);
  struct Case {
    pegasus::device::Rect rect;
    bool good;
  };
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  Case const cases[] = {
      {{base, 0, 1024, 1}, true},
      {{base, 0, 1025, 1}, false},
      {{base + 1, 0, 1024, 1}, false},
      {{base + 1024, 0, 1, 1}, false},
      {{base - 1, 0, 1, 1}, false},
      {{base, 256, 100, 4}, true},
      {{base, 256, 256, 4}, true},
      {{base, 256, 257, 4}, false},      // rows overlap
      {{base + 156, 256, 100, 4}, true}, // the last row ends at the last byte
      {{base + 157, 256, 100, 4}, false},
      {{base, 0, 100, 2}, false},
      {{base, most, 1, 2}, false},
      {{base, std::uint64_t{1} << 63, 1, 3}, false}, // pitch * rows wraps around to 0
      {{base, std::uint64_t{1} << 32, std::uint64_t{1} << 32, std::uint64_t{1} << 32}, false},
      {{most, 0, 2, 1}, false},
      {{base, 0, most, 1}, false},
      {{0, 0, 0, 1}, true}, // empty
      {{12345, 7, 100, 0}, true},
  };
  for (auto const& [rect, good] : cases) {
    INFO(rect.address - base << " pitch " << rect.pitch << " row " << rect.row_bytes << " rows "
                             << rect.rows);
    CHECK(host_rect(memory, rect).has_value() == good);
  }
  auto const rect = host_rect(memory, {base, 256, 100, 4});
  REQUIRE(rect);
  CHECK(rect->packed_bytes() == 400);
  CHECK(rect->row(3) == memory.resolve(base, 1) + 768);
}
