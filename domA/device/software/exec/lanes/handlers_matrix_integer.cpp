// SPDX-License-Identifier: Apache-2.0
// mma and wmma.mma of integers and bits: see matrix_tiles.h.
#include "domA/device/software/exec/lanes/matrix_tiles.h"
#include "domA/device/software/exec/ops.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

// d = c + sum, which wraps around, or is clamped to the range of s32 (.satfinite).
template <bool clamps> LANE_INLINE void add_integers(u32* d, u32 const* c, s32 const* sum) {
  EACH_LANE {
    u32 const wrapped = c[i] + static_cast<u32>(sum[i]);
    bool const over = ((c[i] ^ wrapped) & (static_cast<u32>(sum[i]) ^ wrapped)) >> 31 != 0;
    u32 const limit = static_cast<s32>(c[i]) < 0 ? 0x80000000 : 0x7fffffff;
    d[i] = clamps && over ? limit : wrapped;
  }
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

// The "product" of bits is the number of those that differ (.xor.popc) or are both set (.and.popc).
template <bool differing> Op const* bit_product(Warp& w, Op const& op) {
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  Operands const o(op, Matrix::word);
  alignas(64) u32 sum[2 * most_tiles][32];
  u32 const deep = o.shape.k / 128, tiles = o.down * o.across;
  for (u32 r = 0; r < 2 * tiles; ++r) {
    u32 const tile = r / 2;
    for (u32 lane = 0; lane < 32; ++lane) {
      u32 const row = lane / 4, column = lane % 4 * 2 + r % 2;
      u32 count = w.reg<u32>(o.c[r])[lane];
      for (u32 k = 0; k < 4 * deep; ++k) {
        u32 const a = w.reg<u32>(o.a[k / 4 * o.down + tile % o.down])[row * 4 + k % 4];
        u32 const b = w.reg<u32>(o.b[k / 4 * o.across + tile / o.down])[column * 4 + k % 4];
        count += static_cast<u32>(__builtin_popcount(differing ? a ^ b : a & b));
      }
      sum[r][lane] = count;
    }
  }
  for (u32 r = 0; r < 2 * tiles; ++r)
    EACH_LANE w.reg<u32>(o.d[r])[i] = sum[r][i];
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

constexpr Entry entries[] = {
    INTEGERS(8, "8"),
    INTEGERS(4, "4"),
    {"mma.b1.b1.xor.popc", bit_product<true>},
    {"mma.b1.b1.and.popc", bit_product<false>},
};

} // namespace

Table matrix_integer_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
