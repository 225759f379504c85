// SPDX-License-Identifier: Apache-2.0
#include "frontend/channel/piece_cutter.h"

#include <catch2/catch.hpp>
#include <vector>

using pegasus::frontend::Piece;
using pegasus::frontend::PieceCutter;

namespace {

struct Copy {
  std::uint64_t device_pitch, host_pitch, row_bytes, rows;
};

constexpr std::uint64_t device_address = 0x10000;

std::vector<Piece> pieces_of(Copy const& copy, std::size_t limit) {
  PieceCutter cutter({device_address, copy.device_pitch}, copy.host_pitch, copy.row_bytes, copy.rows, limit);
  std::vector<Piece> pieces;
  for (Piece piece{}; cutter.next(piece);)
    pieces.push_back(piece);
  return pieces;
}

} // namespace

TEST_CASE("as many whole rows as fit go into one piece") {
  auto const pieces = pieces_of({.device_pitch = 128, .host_pitch = 200, .row_bytes = 100, .rows = 5}, 250);
  REQUIRE(pieces.size() == 3);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(pieces[i].rows == (i < 2 ? 2 : 1));
    CHECK(pieces[i].row_bytes == 100);
    CHECK(pieces[i].pitch == 128);
    CHECK(pieces[i].address == device_address + 2 * i * 128);
    CHECK(pieces[i].host_offset == 2 * i * 200);
    CHECK(pieces[i].bytes() == pieces[i].rows * 100);
  }
}

TEST_CASE("rows without gaps on both sides are cut as one row") {
  auto const pieces = pieces_of({.device_pitch = 100, .host_pitch = 100, .row_bytes = 100, .rows = 5}, 300);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].row_bytes == 300);
  CHECK(pieces[1].row_bytes == 200);
  CHECK(pieces[1].address == device_address + 300);
  CHECK(pieces[1].host_offset == 300);
  for (Piece const& piece : pieces)
    CHECK(piece.rows == 1);
}

TEST_CASE("rows with gaps on one side only are not joined") {
  Copy const copy = GENERATE(Copy{.device_pitch = 128, .host_pitch = 100, .row_bytes = 100, .rows = 3},
                             Copy{.device_pitch = 100, .host_pitch = 128, .row_bytes = 100, .rows = 3});
  auto const pieces = pieces_of(copy, 1000);
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].row_bytes == 100);
  CHECK(pieces[0].rows == 3);
}

TEST_CASE("the pitches of a single row do not matter") {
  auto const pieces = pieces_of({.device_pitch = 0, .host_pitch = 7, .row_bytes = 100, .rows = 1}, 100);
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].bytes() == 100);
}

TEST_CASE("a row that is longer than the limit is cut into parts, and so is each further row") {
  auto const pieces = pieces_of({.device_pitch = 300, .host_pitch = 260, .row_bytes = 250, .rows = 2}, 100);
  REQUIRE(pieces.size() == 6);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::uint64_t const row = i / 3, column = i % 3 * 100;
    CHECK(pieces[i].rows == 1);
    CHECK(pieces[i].row_bytes == (column == 200 ? 50 : 100));
    CHECK(pieces[i].address == device_address + row * 300 + column);
    CHECK(pieces[i].host_offset == row * 260 + column);
  }
}

TEST_CASE("a copy of zero bytes has no pieces") {
  CHECK(pieces_of({.device_pitch = 128, .host_pitch = 128, .row_bytes = 0, .rows = 5}, 100).empty());
  CHECK(pieces_of({.device_pitch = 128, .host_pitch = 128, .row_bytes = 100, .rows = 0}, 100).empty());
  CHECK(pieces_of({.device_pitch = 100, .host_pitch = 100, .row_bytes = 100, .rows = 0}, 100).empty());
}
