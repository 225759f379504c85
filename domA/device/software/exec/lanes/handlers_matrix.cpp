// SPDX-License-Identifier: Apache-2.0
// mma and wmma.mma, PTX ISA 9.7.14.4.5 and 9.7.14.5.14. The lanes' registers are gathered into tiles of 8 rows, which
// are multiplied as plain arrays; all operands are read before a result is written.
//
// Products of halves are exact in single precision. They are added to C one by one in the order of k, each sum rounded
// to single precision; a result of f16 is then rounded once more. PTX leaves order and precision open.
#include "domA/device/software/exec/lanes/float_rules.h"
#include "domA/device/software/exec/matrix_shapes.h"
#include "domA/device/software/exec/ops.h"

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
// integers are exact in single precision, too: below 2^24.
struct Halves {
  static constexpr u32 in_word = 2, tiles = 8; // of A or of B at most
  LANE_INLINE static float number(u32 word, u32 i) { return from_half(static_cast<u16>(word >> i * 16)); }
};
template <u32 bits, bool negative> struct Integers {
  static constexpr u32 in_word = 32 / bits, tiles = bits == 8 ? 4 : 1;
  LANE_INLINE static float number(u32 word, u32 i) {
    u32 const top = word << (32 - bits - i * bits);
    s32 const value = negative ? static_cast<s32>(top) >> (32 - bits) : static_cast<s32>(top >> (32 - bits));
    return static_cast<float>(value);
  }
};

// The arrays below hold this many tiles of C or D.
constexpr u32 most_tiles = 4;
constexpr bool all_fit() {
  for (MatrixShape const& s : matrix_shapes) {
    u32 const tiles = s.element == Element::f16  ? Halves::tiles
                      : s.element == Element::i8 ? Integers<8, false>::tiles
                                                 : Integers<4, false>::tiles;
    if (fragment_of(s, Matrix::a).tiles > tiles || fragment_of(s, Matrix::b).tiles > tiles) return false;
    if (fragment_of(s, Matrix::word).tiles > most_tiles) return false;
    if (s.element != Element::f16 && u32{s.k} * 255 * 255 >= 1u << 24) return false;
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

// Accumulators of floating point: a tile from and to its registers.
struct Half {
  static constexpr Matrix matrix = Matrix::half;
  static void get(Warp const& w, u32 const* at, float* tile) {
    u32 const* const words = w.reg<u32>(at[0]);
    alignas(64) float even[32], odd[32];
    EACH_LANE even[i] = Halves::number(words[i], 0);
    EACH_LANE odd[i] = Halves::number(words[i], 1);
    join(tile, even, odd);
  }
  static void put(Warp const& w, u32 const* at, float const* tile) {
    u32* const words = w.reg<u32>(at[0]);
    alignas(64) float even[32], odd[32];
    alignas(64) u16 low[32], high[32];
    split(even, odd, tile);
    EACH_LANE low[i] = to_half(even[i]);
    EACH_LANE high[i] = to_half(odd[i]);
    EACH_LANE words[i] = low[i] | u32{high[i]} << 16;
  }
  LANE_INLINE static QuadPlace quad(u32 lane, u32 i) { return quad_half(lane, i); }
  LANE_INLINE static float element(Warp const& w, u32 const* at, u32 lane, u32 i) {
    return from_half(w.reg<u16>(at[i / 2])[2 * lane + i % 2]);
  }
  LANE_INLINE static void set(Warp const& w, u32 const* at, u32 lane, u32 i, float v) {
    w.reg<u16>(at[i / 2])[2 * lane + i % 2] = to_half(v);
  }
};
struct Single {
  static constexpr Matrix matrix = Matrix::word;
  static void get(Warp const& w, u32 const* at, float* tile) {
    join(tile, w.reg<float>(at[0]), w.reg<float>(at[1]));
  }
  static void put(Warp const& w, u32 const* at, float const* tile) {
    float *const even = w.reg<float>(at[0]), *const odd = w.reg<float>(at[1]);
    split(even, odd, tile);
    EACH_LANE even[i] = canonical(even[i]);
    EACH_LANE odd[i] = canonical(odd[i]);
  }
  LANE_INLINE static QuadPlace quad(u32 lane, u32 i) { return quad_word(lane, i); }
  LANE_INLINE static float element(Warp const& w, u32 const* at, u32 lane, u32 i) {
    return w.reg<float>(at[i])[lane];
  }
  LANE_INLINE static void set(Warp const& w, u32 const* at, u32 lane, u32 i, float v) {
    w.reg<float>(at[i])[lane] = canonical(v);
  }
};

// d = c + sum, which wraps around, or is clamped to the range of s32 (.satfinite).
template <bool clamps> LANE_INLINE void add_integers(u32* d, u32 const* c, s32 const* sum) {
  EACH_LANE {
    u32 const wrapped = c[i] + static_cast<u32>(sum[i]);
    bool const over = ((c[i] ^ wrapped) & (static_cast<u32>(sum[i]) ^ wrapped)) >> 31 != 0;
    u32 const limit = static_cast<s32>(c[i]) < 0 ? 0x80000000 : 0x7fffffff;
    d[i] = clamps && over ? limit : wrapped;
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

template <class C, class D> Op const* float_product(Warp& w, Op const& op) {
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  Operands const o(op, D::matrix);
  alignas(64) float sum[most_tiles][64];
  u32 const tiles = o.down * o.across;
  for (u32 t = 0; t < tiles; ++t)
    C::get(w, o.c + t * fragment_of(o.shape, C::matrix).tile_registers, sum[t]);
  add_products<Halves, Halves>(w, o, sum);
  for (u32 t = 0; t < tiles; ++t)
    D::put(w, o.d + t * fragment_of(o.shape, D::matrix).tile_registers, sum[t]);
  return &op + 1;
}

// The results of a tile's sums, which are whole numbers; `c` is a copy: a register of D may be one of C.
template <bool clamps>
void put_integers(Warp const& w, u32 const* at, float const* tile, u32 const (*c)[32]) {
  alignas(64) float half[2][32];
  alignas(64) s32 sum[32];
  split(half[0], half[1], tile);
  for (u32 odd = 0; odd < 2; ++odd) {
    EACH_LANE sum[i] = static_cast<s32>(half[odd][i]);
    add_integers<clamps>(w.reg<u32>(at[odd]), c[odd], sum);
  }
}

template <class A, class B, bool clamps> Op const* integer_product(Warp& w, Op const& op) {
  static_assert(A::in_word == B::in_word);
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  Operands const o(op, Matrix::word);
  alignas(64) float sum[most_tiles][64];
  alignas(64) u32 c[2 * most_tiles][32];
  u32 const tiles = o.down * o.across;
  for (u32 k = 0; k < 2 * tiles; ++k)
    EACH_LANE c[k][i] = w.reg<u32>(o.c[k])[i];
  __builtin_memset(sum, 0, tiles * sizeof sum[0]);
  add_products<A, B>(w, o, sum);
  for (u32 t = 0; t < tiles; ++t)
    put_integers<clamps>(w, o.d + 2 * t, sum[t], c + 2 * t);
  return &op + 1;
}

// The "product" of bits is the number of those that differ (.xor.popc). There is one tile of each operand.
Op const* bit_product(Warp& w, Op const& op) {
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  Operands const o(op, Matrix::word);
  u32 const *const a = w.reg<u32>(o.a[0]), *const b = w.reg<u32>(o.b[0]);
  alignas(64) u32 sum[2][32];
  for (u32 odd = 0; odd < 2; ++odd)
    for (u32 lane = 0; lane < 32; ++lane) {
      u32 const row = lane / 4, column = lane % 4 * 2 + odd;
      u32 differ = w.reg<u32>(o.c[odd])[lane];
      for (u32 k = 0; k < 4; ++k)
        differ += static_cast<u32>(__builtin_popcount(a[row * 4 + k] ^ b[column * 4 + k]));
      sum[odd][lane] = differ;
    }
  for (u32 odd = 0; odd < 2; ++odd)
    EACH_LANE w.reg<u32>(o.d[odd])[i] = sum[odd][i];
  return &op + 1;
}

// m8n8k4: four products. Op::imm: the layouts, see matrix_shapes.h.
template <class C, class D> Op const* quad_products(Warp& w, Op const& op) {
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  u32 const* const a_at = op.extra + (__is_same(D, Half) ? 4 : 8);
  u32 const *const b_at = a_at + 2, *const c_at = b_at + 2;
  alignas(64) float a[4][32], b[4][32], sum[4][64];
  for (u32 lane = 0; lane < 32; ++lane) {
    u32 const p = quad_pair(lane);
    for (u32 i = 0; i < 4; ++i) {
      QuadPlace const in_a = quad_factor(lane, i, (op.imm & quads_a_column) == 0);
      QuadPlace const in_b = quad_factor(lane, i, (op.imm & quads_b_row) == 0);
      a[p][in_a.row * 4 + in_a.column] = Half::element(w, a_at, lane, i);
      b[p][in_b.column * 8 + in_b.row] = Half::element(w, b_at, lane, i);
    }
    for (u32 i = 0; i < 8; ++i) {
      QuadPlace const in_c = C::quad(lane, i);
      sum[p][in_c.row * 8 + in_c.column] = C::element(w, c_at, lane, i);
    }
  }
  for (u32 p = 0; p < 4; ++p)
    multiply<1>(sum[p], a[p], b[p]);
  for (u32 lane = 0; lane < 32; ++lane)
    for (u32 i = 0; i < 8; ++i) {
      QuadPlace const in_d = D::quad(lane, i);
      D::set(w, op.extra, lane, i, sum[quad_pair(lane)][in_d.row * 8 + in_d.column]);
    }
  return &op + 1;
}

template <u32 bits, bool a_signed, bool b_signed, bool clamps>
constexpr Handler of_integers = integer_product<Integers<bits, a_signed>, Integers<bits, b_signed>, clamps>;

#define INTEGERS(bits, digits)                                                                               \
  {"mma.s" digits ".s" digits, of_integers<bits, true, true, false>},                                        \
      {"mma.s" digits ".u" digits, of_integers<bits, true, false, false>},                                   \
      {"mma.u" digits ".s" digits, of_integers<bits, false, true, false>},                                   \
      {"mma.u" digits ".u" digits, of_integers<bits, false, false, false>},                                  \
      {"mma.s" digits ".s" digits ".satfinite", of_integers<bits, true, true, true>},                        \
      {"mma.s" digits ".u" digits ".satfinite", of_integers<bits, true, false, true>},                       \
      {"mma.u" digits ".s" digits ".satfinite", of_integers<bits, false, true, true>}, {                     \
    "mma.u" digits ".u" digits ".satfinite", of_integers<bits, false, false, true>                           \
  }

// Floating point by the types of D and C, as the other operands are always of f16.
constexpr Entry entries[] = {
    {"mma.f32.f32", float_product<Single, Single>},
    {"mma.f32.f16", float_product<Half, Single>},
    {"mma.f16.f32", float_product<Single, Half>},
    {"mma.f16.f16", float_product<Half, Half>},
    {"mma.quads.f32.f32", quad_products<Single, Single>},
    {"mma.quads.f32.f16", quad_products<Half, Single>},
    {"mma.quads.f16.f16", quad_products<Half, Half>},
    INTEGERS(8, "8"),
    INTEGERS(4, "4"),
    {"mma.b1.b1.xor.popc", bit_product},
};

} // namespace

Table matrix_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
