// SPDX-License-Identifier: Apache-2.0
// The shapes of mma and wmma, and which lane holds which elements: PTX ISA 9.7.14.4, 9.7.14.5. D = A * B + C; A has
// m rows and k columns, B k and n, C and D m and n. Like op.h without library headers.
//
// A matrix is cut into tiles of 8 rows, and a register of the 32 lanes is one tile, row by row: lane 4r + q holds the
// q-th quarter of row r, lower elements in lower bits. Of B a "row" is a column of PTX's matrix: in both operands the
// elements that are summed over are adjacent. A tile of accumulators of 32 bits is 8x8 and takes two registers, for the
// even and the odd columns, as one of f64 does. A factor of f64 has registers of 64 bits, and so four columns. Tiles follow
// each other down the matrix first, then across. PTX leaves the lanes of wmma open: here they are those of mma, and if a
// fragment has more registers than tiles, these repeat.
//
// Only m8n8k4 of f16 is otherwise: see below.
#pragma once

#include <cstdint>

namespace pegasus::software {

enum class Element : std::uint8_t { f16, bf16, tf32, f64, i8, i4, b1 };
// half, word: C and D, of 16 and of 32 bits, or of 64 if A and B are of f64.
enum class Matrix : std::uint8_t { a, b, half, word };

struct MatrixShape {
  char const* name;
  Element element; // of A and B
  std::uint8_t m, n;
  std::uint16_t k;
  std::uint8_t a_registers, b_registers;
  bool mma, wmma;           // the instructions that have it
  std::uint8_t target = 75; // the first that has it: sm_75
};

inline constexpr MatrixShape matrix_shapes[] = {
    {"m8n8k4", Element::f16, 8, 8, 4, 2, 2, true, false},
    {"m16n8k8", Element::f16, 16, 8, 8, 2, 1, true, false},
    {"m8n8k16", Element::i8, 8, 8, 16, 1, 1, true, false},
    {"m8n8k32", Element::i4, 8, 8, 32, 1, 1, true, true},
    {"m8n8k128", Element::b1, 8, 8, 128, 1, 1, true, true},
    {"m16n16k16", Element::f16, 16, 16, 16, 8, 8, false, true},
    {"m32n8k16", Element::f16, 32, 8, 16, 8, 8, false, true},
    {"m8n32k16", Element::f16, 8, 32, 16, 8, 8, false, true},
    {"m16n16k16", Element::i8, 16, 16, 16, 2, 2, false, true},
    {"m32n8k16", Element::i8, 32, 8, 16, 4, 1, false, true},
    {"m8n32k16", Element::i8, 8, 32, 16, 1, 4, false, true},
    {"m16n8k16", Element::f16, 16, 8, 16, 4, 2, true, false, 80},
    {"m16n8k8", Element::bf16, 16, 8, 8, 2, 1, true, false, 80},
    {"m16n8k16", Element::bf16, 16, 8, 16, 4, 2, true, false, 80},
    {"m16n8k4", Element::tf32, 16, 8, 4, 2, 1, true, false, 80},
    {"m16n8k8", Element::tf32, 16, 8, 8, 4, 2, true, false, 80},
    {"m8n8k4", Element::f64, 8, 8, 4, 1, 1, true, true, 80},
    {"m16n8k16", Element::i8, 16, 8, 16, 2, 1, true, false, 80},
    {"m16n8k32", Element::i8, 16, 8, 32, 4, 2, true, false, 80},
    {"m16n8k32", Element::i4, 16, 8, 32, 2, 1, true, false, 80},
    {"m16n8k64", Element::i4, 16, 8, 64, 4, 2, true, false, 80},
    {"m16n8k128", Element::b1, 16, 8, 128, 2, 1, true, false, 80},
    {"m16n8k256", Element::b1, 16, 8, 256, 4, 2, true, false, 80},
    {"m16n16k16", Element::bf16, 16, 16, 16, 4, 4, false, true, 80},
    {"m32n8k16", Element::bf16, 32, 8, 16, 8, 2, false, true, 80},
    {"m8n32k16", Element::bf16, 8, 32, 16, 2, 8, false, true, 80},
    {"m16n16k8", Element::tf32, 16, 16, 8, 4, 4, false, true, 80},
};
inline constexpr std::uint32_t quads_shape = 0;                      // m8n8k4 of f16
static_assert(sizeof matrix_shapes / sizeof matrix_shapes[0] <= 64); // Op::shape has room for 256 matrices

[[nodiscard]] constexpr std::uint32_t bits_of(Element e) {
  switch (e) {
  case Element::f64:
    return 64;
  case Element::tf32:
    return 32;
  case Element::f16:
  case Element::bf16:
    return 16;
  case Element::i8:
    return 8;
  case Element::i4:
    return 4;
  default:
    return 1;
  }
}

// One of a shape's matrices. `rows` are columns for B.
struct Fragment {
  std::uint32_t rows, columns;
  std::uint32_t bits;       // of an element
  std::uint32_t tile_width; // columns
  std::uint32_t tiles;
  std::uint32_t tile_registers; // 1 or 2
  std::uint32_t registers;
};

[[nodiscard]] constexpr Fragment fragment_of(MatrixShape const& s, Matrix which) {
  bool const factor = which == Matrix::a || which == Matrix::b;
  std::uint32_t const rows = which == Matrix::b ? s.n : s.m;
  std::uint32_t const columns = factor ? s.k : s.n;
  std::uint32_t const word = s.element == Element::f64 ? 64 : 32;
  std::uint32_t const bits = factor ? bits_of(s.element) : which == Matrix::half ? 16 : word;
  std::uint32_t const width = !factor ? 8 : bits == 64 ? 4 : 128 / bits;
  std::uint32_t const tiles = rows / 8 * (columns / width), each = which == Matrix::word ? 2 : 1;
  std::uint32_t const registers = which == Matrix::a   ? s.a_registers
                                  : which == Matrix::b ? s.b_registers
                                                       : tiles * each;
  return {rows, columns, bits, width, tiles, each, registers};
}

struct MatrixPlace {
  std::uint32_t row, column;
};
// The first element that a lane holds in one of its registers; the others follow in the row.
[[nodiscard]] constexpr MatrixPlace place_in(Fragment const& f, std::uint32_t register_, std::uint32_t lane) {
  std::uint32_t const down = f.rows / 8, tile = register_ / f.tile_registers % f.tiles;
  std::uint32_t const odd = register_ % f.tile_registers;
  return {tile % down * 8 + lane / 4, tile / down * f.tile_width + lane % 4 * (f.tile_width / 4) + odd};
}

// Op::shape of wmma.load and wmma.store.
[[nodiscard]] constexpr std::uint32_t matrix_number(std::uint32_t shape, Matrix which) {
  return shape * 4 + static_cast<std::uint32_t>(which);
}
[[nodiscard]] constexpr Fragment fragment_numbered(std::uint32_t number) {
  return fragment_of(matrix_shapes[number / 4], static_cast<Matrix>(number % 4));
}

// m8n8k4 with f16, PTX ISA 9.7.14.5.1: four products of 8x4 and 4x8, one in each quad pair: lanes 4p to 4p + 3 (the low
// half) and 4p + 16 to 4p + 19. The places depend on the layouts of A and B.
// Op::imm: layouts other than row.col.
inline constexpr std::uint64_t quads_a_column = 1, quads_b_row = 2;

struct QuadPlace {
  std::uint32_t row, column;
};

[[nodiscard]] constexpr std::uint32_t quad_pair(std::uint32_t lane) { return lane % 16 / 4; }

// Element i of 4 that a lane holds of A, and, with row and column exchanged, of B.
[[nodiscard]] constexpr QuadPlace quad_factor(std::uint32_t lane, std::uint32_t i, bool along_k) {
  std::uint32_t const high = lane / 16 * 4, q = lane % 4;
  return along_k ? QuadPlace{q + high, i} : QuadPlace{i + high, q};
}
// Element i of 8 of C and D in registers of two halves.
[[nodiscard]] constexpr QuadPlace quad_half(std::uint32_t lane, std::uint32_t i) {
  return {lane % 4 + lane / 16 * 4, i};
}
// Element i of 8 of C and D in registers of 32 bits.
[[nodiscard]] constexpr QuadPlace quad_word(std::uint32_t lane, std::uint32_t i) {
  return {(lane & 1) + (i & 2) + lane / 16 * 4, (i & 4) + (lane & 2) + (i & 1)};
}

} // namespace pegasus::software
