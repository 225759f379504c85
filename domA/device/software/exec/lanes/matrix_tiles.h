// SPDX-License-Identifier: Apache-2.0
// How mma and wmma.mma multiply, PTX ISA 9.7.14.4.5 and 9.7.14.5.14. The lanes' registers are gathered into tiles of 8
// rows, which are multiplied as plain arrays in single precision; all operands are read before a result is written.
// Only handlers_*.cpp include this.
#pragma once

#include "domA/device/software/exec/lanes/float_rules.h"
#include "domA/device/software/exec/matrix_shapes.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

// A row of a tile of C or D: its four even columns, then its four odd ones.
using Row [[gnu::vector_size(32), gnu::may_alias]] = float;

LANE_INLINE u32 split_column(u32 column) { return column % 2 * 4 + column / 2; }

// Between a tile's rows and its registers, in which lane 4r + q has the columns 2q and 2q + 1 of row r.
template <class T> LANE_INLINE void join(T* tile, T const* even, T const* odd) {
  for (u32 row = 0; row < 8; ++row) {
    __builtin_memcpy(tile + row * 8, even + row * 4, 4 * sizeof(T));
    __builtin_memcpy(tile + row * 8 + 4, odd + row * 4, 4 * sizeof(T));
  }
}
template <class T> LANE_INLINE void split(T* even, T* odd, T const* tile) {
  for (u32 row = 0; row < 8; ++row) {
    __builtin_memcpy(even + row * 4, tile + row * 8, 4 * sizeof(T));
    __builtin_memcpy(odd + row * 4, tile + row * 8 + 4, 4 * sizeof(T));
  }
}

// Each kind of element: how many a register of a lane holds, and element i of them as a number. Sums of products of
// integers are exact in single precision, too: below 2^24. The low bits of a tf32 are ignored.
struct Halves {
  static constexpr u32 in_word = 2, tiles = 8; // of A or of B at most
  LANE_INLINE static float number(u32 word, u32 i) { return from_half(static_cast<u16>(word >> i * 16)); }
};
struct Bfloats {
  static constexpr u32 in_word = 2, tiles = 8;
  LANE_INLINE static float number(u32 word, u32 i) {
    return as<float>(i == 0 ? word << 16 : word & 0xffff0000);
  }
};
struct Tensors {
  static constexpr u32 in_word = 1, tiles = 4;
  LANE_INLINE static float number(u32 word, u32) { return as<float>(word & 0xffffe000); }
};
template <u32 bits, bool negative> struct Integers {
  static constexpr u32 in_word = 32 / bits, tiles = 4;
  LANE_INLINE static float number(u32 word, u32 i) {
    u32 const top = word << (32 - bits - i * bits);
    s32 const value = negative ? static_cast<s32>(top) >> (32 - bits) : static_cast<s32>(top >> (32 - bits));
    return static_cast<float>(value);
  }
};

// The arrays below hold this many tiles of C or D.
constexpr u32 most_tiles = 4;
constexpr u32 tiles_for(Element e) {
  return e == Element::f16    ? Halves::tiles
         : e == Element::bf16 ? Bfloats::tiles
         : e == Element::tf32 ? Tensors::tiles
                              : Integers<8, false>::tiles;
}
constexpr bool all_fit() {
  for (MatrixShape const& s : matrix_shapes) {
    u32 const tiles = tiles_for(s.element);
    if (fragment_of(s, Matrix::a).tiles > tiles || fragment_of(s, Matrix::b).tiles > tiles) return false;
    if (fragment_of(s, Matrix::word).tiles > most_tiles) return false;
    u32 const largest = s.element == Element::i8 ? 255 : s.element == Element::i4 ? 15 : 0;
    if (s.k * largest * largest >= 1u << 24) return false;
  }
  return true;
}
static_assert(all_fit());

// A tile of A: element i of each lane's register in a row of 32.
template <class A> [[gnu::noinline]] void unpack(float* to, u32 const* from) {
  for (u32 e = 0; e < A::in_word; ++e)
    EACH_LANE to[e * 32 + i] = A::number(from[i], e);
}
// A tile of B: a row for each k, with the columns in the order of Row.
template <class B> [[gnu::noinline]] void unpack_rows(float* to, u32 const* from) {
  alignas(64) u32 turned[32];
  alignas(64) float row[32];
  for (u32 column = 0; column < 8; ++column)
    for (u32 q = 0; q < 4; ++q)
      turned[q * 8 + split_column(column)] = from[column * 4 + q];
  for (u32 e = 0; e < B::in_word; ++e) {
    EACH_LANE row[i] = B::number(turned[i], e);
    for (u32 q = 0; q < 4; ++q)
      __builtin_memcpy(to + (q * B::in_word + e) * 8, row + q * 8, 32);
  }
}
template <u32 in_word> [[gnu::noinline]] void multiply(float* sum, float const* a, float const* b) {
  for (u32 row = 0; row < 8; ++row) {
    Row r = reinterpret_cast<Row const*>(sum)[row];
    for (u32 q = 0; q < 4; ++q)
      for (u32 e = 0; e < in_word; ++e)
        r += a[e * 32 + row * 4 + q] * reinterpret_cast<Row const*>(b)[q * in_word + e];
    reinterpret_cast<Row*>(sum)[row] = r;
  }
}

// op.extra: the registers of D, A, B and C.
struct Operands {
  MatrixShape const& shape;
  u32 down, across; // tiles of C and D
  u32 const *d, *a, *b, *c;
  LANE_INLINE Operands(Op const& op, Matrix of_d)
      : shape(matrix_shapes[op.shape]), down(shape.m / 8u), across(shape.n / 8u), d(op.extra),
        a(d + fragment_of(shape, of_d).registers), b(a + shape.a_registers), c(b + shape.b_registers) {}
};

// Adds the tiles' products to `sum`; reads all of A and B before.
template <class A, class B>
LANE_INLINE void add_products(Warp const& w, Operands const& o, float (*sum)[64]) {
  constexpr u32 width = 4 * A::in_word;
  u32 const deep = o.shape.k / width;
  alignas(64) float a[A::tiles][8 * width], b[B::tiles][8 * width];
  for (u32 t = 0; t < o.down * deep; ++t)
    unpack<A>(a[t], w.reg<u32>(o.a[t]));
  for (u32 t = 0; t < o.across * deep; ++t)
    unpack_rows<B>(b[t], w.reg<u32>(o.b[t]));
  for (u32 t = 0; t < o.down * o.across; ++t)
    for (u32 step = 0; step < deep; ++step)
      multiply<A::in_word>(sum[t], a[step * o.down + t % o.down], b[step * o.across + t / o.down]);
}

} // namespace
} // namespace pegasus::software::PEGASUS_ISA
