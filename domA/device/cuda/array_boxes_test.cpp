// SPDX-License-Identifier: Apache-2.0
// Boxes copy what the rows of a rect would copy if a level were memory.
#include "domA/device/cuda/array_boxes.h"

#include <catch2/catch.hpp>
#include <random>

using namespace pegasus::cuda;

namespace {

using Bytes = std::vector<std::uint8_t>;

// One side of a copy, with what is there: in a level by row and slice, which is the same as in memory if rows have no gaps.
struct ModelSide {
  CopySide side;
  Bytes bytes;

  [[nodiscard]] std::size_t at(Box const& box, BoxPlace const& place, std::uint64_t row,
                               std::uint64_t slice) const {
    if (side.grid == nullptr) return place.offset + (slice * box.height + row) * place.pitch;
    REQUIRE(place.x + box.width <= side.grid->row_bytes);
    REQUIRE(place.y + box.height <= side.grid->rows);
    REQUIRE(place.z + box.depth <= side.grid->slices);
    REQUIRE((place.x % side.grid->texel_bytes == 0 && box.width % side.grid->texel_bytes == 0));
    return ((place.z + slice) * side.grid->rows + place.y + row) * side.grid->row_bytes + place.x;
  }
};

void copy(std::vector<Box> const& boxes, ModelSide& target, ModelSide const& source) {
  for (Box const& box : boxes)
    for (std::uint64_t z = 0; z < box.depth; ++z)
      for (std::uint64_t y = 0; y < box.height; ++y) {
        std::size_t const to = target.at(box, box.target, y, z), from = source.at(box, box.source, y, z);
        REQUIRE(to + box.width <= target.bytes.size());
        REQUIRE(from + box.width <= source.bytes.size());
        std::copy_n(&source.bytes[from], box.width, &target.bytes[to]);
      }
}

void copy_rows(std::uint64_t row_bytes, std::uint64_t rows, ModelSide& target, ModelSide const& source) {
  for (std::uint64_t row = 0; row < rows; ++row)
    std::copy_n(&source.bytes[source.side.offset + row * source.side.pitch], row_bytes,
                &target.bytes[target.side.offset + row * target.side.pitch]);
}

struct Random {
  std::mt19937 engine{1};
  std::uint64_t below(std::uint64_t end) { return engine() % end; }
  std::uint64_t upto(std::uint64_t most) { return 1 + below(most); }
  Grid grid() {
    std::uint64_t const texel = std::uint64_t{1} << below(3);
    return {texel * upto(5), upto(5), upto(5), texel};
  }
};

bool fits(ModelSide const& model, std::uint64_t row_bytes, std::uint64_t rows) {
  return (rows == 1 || model.side.pitch >= row_bytes) &&
         model.side.offset + (rows - 1) * model.side.pitch + row_bytes <= model.bytes.size();
}

bool whole_texels(CopySide const& side, std::uint64_t row_bytes, std::uint64_t rows) {
  std::uint64_t const texel = side.grid == nullptr ? 1 : side.grid->texel_bytes;
  return side.offset % texel == 0 && row_bytes % texel == 0 && (rows == 1 || side.pitch % texel == 0);
}

ModelSide side_in(Grid const* grid, Random& random, std::uint64_t row_bytes, std::uint64_t rows) {
  ModelSide model;
  model.side.grid = grid;
  bool const own_pitch = random.below(4) != 0;
  if (grid != nullptr) {
    model.bytes.resize(grid->bytes());
    model.side.pitch = own_pitch ? grid->row_bytes : random.upto(3 * grid->row_bytes);
    model.side.offset = random.below(grid->bytes()) / grid->texel_bytes * grid->texel_bytes;
  } else {
    model.side.pitch = own_pitch ? row_bytes : row_bytes + random.below(9);
    model.bytes.resize(rows * model.side.pitch);
  }
  for (std::uint8_t& byte : model.bytes)
    byte = static_cast<std::uint8_t>(random.below(256));
  return model;
}

} // namespace

TEST_CASE("boxes copy what rows at addresses would, and refuse what is not in the level") {
  Random random;
  unsigned copied = 0, refused = 0;
  for (int i = 0; i < 60'000; ++i) {
    Grid const first = random.grid();
    Grid second = random.below(2) == 0 ? first : random.grid();
    second.texel_bytes = first.texel_bytes;
    second.row_bytes = second.row_bytes / second.texel_bytes * second.texel_bytes;
    if (second.row_bytes == 0) second.row_bytes = second.texel_bytes;
    std::uint64_t const texels = random.upto(random.below(2) == 0 ? 5 : 30);
    std::uint64_t const row_bytes = random.below(20) == 0 ? random.upto(9) : texels * first.texel_bytes;
    std::uint64_t const rows = random.below(2) == 0 ? 1 : random.upto(12);
    unsigned const sides = static_cast<unsigned>(random.below(3)); // which are in a level
    ModelSide target = side_in(sides == 0 ? nullptr : &first, random, row_bytes, rows);
    ModelSide const source = side_in(sides == 1 ? nullptr : &second, random, row_bytes, rows);
    auto const boxes = boxes_of(target.side, source.side, row_bytes, rows);
    bool const right = fits(target, row_bytes, rows) && fits(source, row_bytes, rows);
    if (!right) {
      ++refused;
      REQUIRE_FALSE(boxes);
      continue;
    }
    bool const whole =
        whole_texels(target.side, row_bytes, rows) && whole_texels(source.side, row_bytes, rows);
    if (whole) REQUIRE(boxes);
    if (!boxes) continue;
    ++copied;
    ModelSide expected = target;
    copy_rows(row_bytes, rows, expected, source);
    copy(*boxes, target, source);
    REQUIRE(target.bytes == expected.bytes);
  }
  CHECK(copied > 10'000);
  CHECK(refused > 10'000);
}

TEST_CASE("a copy takes few boxes") {
  Grid const grid{64, 10, 20, 4};
  auto const count = [&](CopySide const& side, std::uint64_t row_bytes, std::uint64_t rows) {
    auto const boxes = boxes_of(side, {nullptr, 0, row_bytes}, row_bytes, rows);
    return boxes ? boxes->size() : 0;
  };
  CHECK(count({&grid, 0, 0}, grid.bytes(), 1) == 1);     // all of it
  CHECK(count({&grid, 0, 64}, 64, 200) == 1);            // ... as rows
  CHECK(count({&grid, 640, 64}, 32, 10) == 1);           // a part of a slice
  CHECK(count({&grid, 0, 64}, 32, 200) == 1);            // ... of each
  CHECK(count({&grid, 64, 64}, 32, 30) == 3);            // across slices
  CHECK(count({&grid, 4, 0}, grid.bytes() - 8, 1) == 5); // a piece of a row, rows, slices, rows, a piece
  auto const boxes = boxes_of({&grid, 640, 64}, {&grid, 1280, 64}, 64, 40);
  REQUIRE(boxes);
  CHECK(boxes->size() == 1);
  CHECK((boxes->front().target.z == 1 && boxes->front().source.z == 2 && boxes->front().depth == 4));
}

TEST_CASE("numbers of a hostile guest neither overflow nor take long") {
  Grid const grid{4, 1024, 1024, 4};
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  CopySide const memory{nullptr, 0, 4};
  CHECK_FALSE(boxes_of({&grid, 0, 4}, memory, 4, huge));
  CHECK_FALSE(boxes_of({&grid, 0, huge}, memory, 4, 2));
  CHECK_FALSE(boxes_of({&grid, 0, std::uint64_t{1} << 63}, memory, 4, 3));
  CHECK_FALSE(boxes_of({&grid, 0, 4}, memory, huge, 1));
  CHECK_FALSE(boxes_of({&grid, huge, 4}, memory, 4, 1));
  CHECK_FALSE(boxes_of({&grid, 0, 0}, memory, 4, 2)); // rows that overlap
  CHECK(boxes_of({&grid, 0, 8}, memory, 4, most_boxes));
  CHECK_FALSE(boxes_of({&grid, 0, 8}, memory, 4, most_boxes + 1));
}
