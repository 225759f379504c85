// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/compile/live_ranges.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;

namespace {

// One op: writes d (0: none), reads a and b.
Draft op(std::uint32_t d, std::uint32_t a = 0, std::uint32_t b = 0, bool merges = false) {
  Draft draft;
  draft.op.d = d;
  draft.op.a = a;
  draft.op.b = b;
  draft.merges = merges;
  return draft;
}

DraftFunction function(std::uint32_t registers, std::vector<Draft> ops, std::vector<std::uint32_t> starts,
                       std::vector<std::vector<std::uint32_t>> successors) {
  DraftFunction f;
  f.registers.resize(registers + 1);
  f.ops = std::move(ops);
  f.block_start = std::move(starts);
  f.block_successors = std::move(successors);
  return f;
}

bool covers(LiveRange const& range, std::uint32_t op) { return range.start <= 2 * op && range.end >= 2 * op; }

} // namespace

TEST_CASE("in one block: from the definition to the last use") {
  auto const ranges = live_ranges(function(2, {op(1), op(2, 1), op(0, 2), op(0, 1)}, {0}, {{}}));
  CHECK((ranges[1].start == 1 && ranges[1].end == 6));
  CHECK((ranges[2].start == 3 && ranges[2].end == 4));
}

// Block 0: define 1; block 1 (loop): use 1, define 2; block 2: use 2.
TEST_CASE("a value used in a loop lives to the loop's end") {
  auto const ranges =
      live_ranges(function(2, {op(1), op(0, 1), op(2), op(0), op(0, 2)}, {0, 1, 4}, {{1}, {1, 2}, {}}));
  CHECK(covers(ranges[1], 3));
  CHECK(!covers(ranges[1], 4));
  CHECK(covers(ranges[2], 3));
}

// Register 1 is set on one way round a loop only and read at the top: it must survive on the other way.
TEST_CASE("a value carried around a loop lives through all of it") {
  auto const ranges = live_ranges(function(1, {op(1), op(0, 1), op(0), op(1), op(0), op(0)}, {0, 1, 3, 4, 5},
                                           {{1}, {2, 3}, {3}, {1, 4}, {}}));
  for (std::uint32_t i = 1; i <= 4; ++i)
    CHECK(covers(ranges[1], i));
}

TEST_CASE("a definition behind a guard keeps the value from before") {
  auto const ranges =
      live_ranges(function(2, {op(1), op(2), op(1, 0, 0, true), op(0, 1)}, {0, 2}, {{1}, {}}));
  CHECK(ranges[1].start == 1);
  CHECK(covers(ranges[1], 1));
}

TEST_CASE("values on two sides of a branch may share a place, a value across both may not") {
  // 0: define 3, branch; 1: define 1, use 1; 2: define 2, use 2; 3: use 3
  auto const ranges = live_ranges(
      function(3, {op(3), op(1), op(0, 1), op(2), op(0, 2), op(0, 3)}, {0, 1, 3, 5}, {{1, 2}, {3}, {3}, {}}));
  CHECK(ranges[1].end < ranges[2].start);
  for (std::uint32_t i = 1; i <= 5; ++i)
    CHECK(covers(ranges[3], i));
}
