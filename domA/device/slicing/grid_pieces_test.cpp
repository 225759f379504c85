// SPDX-License-Identifier: Apache-2.0
#include "domA/device/slicing/grid_pieces.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace pegasus::slicing;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

u64 blocks_of(Box const& box) { return u64{box.size[0]} * box.size[1] * box.size[2]; }

std::vector<Box> all(Dim3 grid, u64 blocks_per_piece) {
  GridPieces pieces(grid, blocks_per_piece);
  std::vector<Box> boxes;
  while (auto const box = pieces.next())
    boxes.push_back(*box);
  return boxes;
}

// Every block of the grid once, in the order of the block numbers except inside a box.
void check_cover(Dim3 grid, std::vector<Box> const& boxes, u64 most) {
  std::vector<int> seen(std::size_t{grid[0]} * grid[1] * grid[2]);
  u64 before = 0;
  for (Box const& box : boxes) {
    u64 const first = (u64{box.offset[2]} * grid[1] + box.offset[1]) * grid[0] + box.offset[0];
    CHECK(first == before);
    before += blocks_of(box);
    REQUIRE(blocks_of(box) >= 1);
    REQUIRE(blocks_of(box) <= most);
    for (u32 z = 0; z < box.size[2]; ++z)
      for (u32 y = 0; y < box.size[1]; ++y)
        for (u32 x = 0; x < box.size[0]; ++x) {
          u64 const block =
              ((u64{z} + box.offset[2]) * grid[1] + y + box.offset[1]) * grid[0] + x + box.offset[0];
          REQUIRE(block < seen.size());
          ++seen[static_cast<std::size_t>(block)];
        }
  }
  REQUIRE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
}

} // namespace

TEST_CASE("every block of every small grid is in exactly one piece, in order") {
  for (u32 x = 1; x <= 6; ++x)
    for (u32 y = 1; y <= 5; ++y)
      for (u32 z = 1; z <= 4; ++z)
        for (u64 most = 1; most <= u64{x} * y * z + 1; ++most) {
          CAPTURE(x, y, z, most);
          check_cover({x, y, z}, all({x, y, z}, most), most);
        }
}

TEST_CASE("a piece is whole planes, whole rows, or a part of a row") {
  using Boxes = std::vector<Box>;
  CHECK(all({4, 3, 5}, 30) == Boxes{{{0, 0, 0}, {4, 3, 2}}, {{0, 0, 2}, {4, 3, 2}}, {{0, 0, 4}, {4, 3, 1}}});
  CHECK(all({4, 3, 1}, 11) == Boxes{{{0, 0, 0}, {4, 2, 1}}, {{0, 2, 0}, {4, 1, 1}}});
  CHECK(all({7, 1, 1}, 3) == Boxes{{{0, 0, 0}, {3, 1, 1}}, {{3, 0, 0}, {2, 1, 1}}, {{5, 0, 0}, {2, 1, 1}}});
  CHECK(all({4, 3, 5}, 60) == Boxes{{{0, 0, 0}, {4, 3, 5}}});
}

TEST_CASE("what is left is shared out evenly: no piece of one block behind one of 999") {
  CHECK(all({1000, 1, 1}, 999) == std::vector<Box>{{{0, 0, 0}, {500, 1, 1}}, {{500, 0, 0}, {500, 1, 1}}});
}

TEST_CASE("the size of the pieces may change at any piece") {
  for (u64 seed = 0; seed < 50; ++seed) {
    Dim3 const grid{5, 4, 3};
    GridPieces pieces(grid, 1);
    std::vector<Box> boxes;
    u64 state = seed;
    for (;;) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      pieces.set_blocks_per_piece(state >> 58); // 0 to 63: none, a part, all
      auto const box = pieces.next();
      if (!box) break;
      REQUIRE(blocks_of(*box) <= std::max<u64>(state >> 58, 1));
      boxes.push_back(*box);
    }
    check_cover(grid, boxes, 60);
  }
}

TEST_CASE("no pieces of an empty grid") {
  for (Dim3 const grid : {Dim3{0, 4, 4}, Dim3{4, 0, 4}, Dim3{4, 4, 0}, Dim3{0, 0, 0}})
    CHECK(all(grid, 7).empty());
}

TEST_CASE("the largest grids do not overflow") {
  Dim3 const largest{0x7fffffff, 65535, 65535};
  SECTION("planes") {
    u64 const plane = u64{largest[0]} * largest[1];
    auto const boxes = all(largest, plane * 1000 + 5);
    REQUIRE(boxes.size() == 66);
    u64 planes = 0;
    for (Box const& box : boxes) {
      CHECK(box.offset == Dim3{0, 0, static_cast<u32>(planes)});
      CHECK(box.size[0] == largest[0]);
      CHECK(box.size[1] == largest[1]);
      CHECK(box.size[2] <= 1000);
      planes += box.size[2];
    }
    CHECK(planes == largest[2]);
  }
  SECTION("all at once") { CHECK(all(largest, ~u64{0}) == std::vector<Box>{{{0, 0, 0}, largest}}); }
  SECTION("long rows in parts") {
    u64 blocks = 0;
    for (Box const& box : all({0x7fffffff, 3, 2}, 0x7ffffffe)) {
      CHECK(blocks == (u64{box.offset[2]} * 3 + box.offset[1]) * 0x7fffffff + box.offset[0]);
      CHECK((box.size[0] == 0x40000000 || box.size[0] == 0x3fffffff));
      blocks += blocks_of(box);
    }
    CHECK(blocks == u64{0x7fffffff} * 6);
  }
  SECTION("larger than any device takes") {
    Dim3 const all_ones{~u32{0}, ~u32{0}, ~u32{0}};
    GridPieces pieces(all_ones, ~u64{0});
    for (u32 z = 0; z < 3; ++z)
      CHECK(pieces.next() == Box{{0, 0, z}, {all_ones[0], all_ones[1], 1}});
  }
}
