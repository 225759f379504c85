// SPDX-License-Identifier: Apache-2.0
// mma and wmma.mma of floating point: see matrix_tiles.h.
//
// Products of halves, of bf16 and of tf32 are exact in single precision, but for those of bf16 and tf32 that are too
// large or too small for it. They are added to C one by one in the order of k, each sum rounded to single precision; a
// result of f16 is then rounded once more. Of f64 each product and sum is one fma, in the order of k. PTX leaves order
// and precision open.
#include "domA/device/software/exec/lanes/matrix_tiles.h"
#include "domA/device/software/exec/ops.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

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

template <class C, class D, class Factor = Halves> Op const* float_product(Warp& w, Op const& op) {
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  Operands const o(op, D::matrix);
  alignas(64) float sum[most_tiles][64];
  u32 const tiles = o.down * o.across;
  for (u32 t = 0; t < tiles; ++t)
    C::get(w, o.c + t * fragment_of(o.shape, C::matrix).tile_registers, sum[t]);
  add_products<Factor, Factor>(w, o, sum);
  for (u32 t = 0; t < tiles; ++t)
    D::put(w, o.d + t * fragment_of(o.shape, D::matrix).tile_registers, sum[t]);
  return &op + 1;
}

// m8n8k4 of f64.
Op const* double_product(Warp& w, Op const& op) {
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  u32 const* const at = op.extra; // D, A, B, C
  double const *const a = w.reg<double>(at[2]), *const b = w.reg<double>(at[3]);
  alignas(64) double sum[2][32];
  for (u32 odd = 0; odd < 2; ++odd)
    for (u32 lane = 0; lane < 32; ++lane) {
      u32 const row = lane / 4, column = lane % 4 * 2 + odd;
      double d = w.reg<double>(at[4 + odd])[lane];
      for (u32 k = 0; k < 4; ++k)
        d = __builtin_fma(a[row * 4 + k], b[column * 4 + k], d);
      sum[odd][lane] = canonical(d);
    }
  for (u32 odd = 0; odd < 2; ++odd)
    EACH_LANE w.reg<double>(at[odd])[i] = sum[odd][i];
  return &op + 1;
}
Op const* rounded_double_product(Warp& w, Op const& op) {
  if (op.round == Round::nearest || w.active != all_lanes) return double_product(w, op);
  return partly64(w, op, double_product);
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

// Of halves by the types of D and C, otherwise by that of A and B.
constexpr Entry entries[] = {
    {"mma.f32.f32", float_product<Single, Single>},
    {"mma.f32.f16", float_product<Half, Single>},
    {"mma.f16.f32", float_product<Single, Half>},
    {"mma.f16.f16", float_product<Half, Half>},
    {"mma.quads.f32.f32", quad_products<Single, Single>},
    {"mma.quads.f32.f16", quad_products<Half, Single>},
    {"mma.quads.f16.f16", quad_products<Half, Half>},
    {"mma.bf16", float_product<Single, Single, Bfloats>},
    {"mma.tf32", float_product<Single, Single, Tensors>},
    {"mma.f64", rounded_double_product},
};

} // namespace

Table matrix_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
