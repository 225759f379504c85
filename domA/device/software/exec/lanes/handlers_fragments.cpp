// SPDX-License-Identifier: Apache-2.0
// Matrices between memory and the lanes' registers, and their transposition: ldmatrix, movmatrix, wmma.load and
// wmma.store, PTX ISA 9.7.14.4 and 9.7.14.5. Each access of each lane is checked like that of ld and st.
#include "domA/device/software/exec/lanes/lane_memory.h"
#include "domA/device/software/exec/matrix_shapes.h"
#include "domA/device/software/exec/ops.h"

namespace pegasus::software::PEGASUS_ISA {
namespace {

// A register of 32 lanes is a matrix of 8x8 halves, row by row.
LANE_INLINE void transpose(u16* to, u16 const* from) {
  for (u32 row = 0; row < 8; ++row)
    for (u32 column = 0; column < 8; ++column)
      to[row * 8 + column] = from[column * 8 + row];
}

Op const* movmatrix(Warp& w, Op const& op) {
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  alignas(64) u32 from[32];
  EACH_LANE from[i] = w.reg<u32>(op.a)[i];
  transpose(w.reg<u16>(op.d), reinterpret_cast<u16 const*>(from));
  return &op + 1;
}

// Lane 8k + r has the address of row r of matrix k. The addresses of further lanes are not used: PTX asks for
// copies of the others.
template <bool transposed> Op const* ldmatrix(Warp& w, Op const& op) {
  constexpr u32 row_bytes = 16;
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  alignas(64) u64 at[32];
  alignas(64) std::byte rows[32 * row_bytes];
  addresses(w, op, at);
  u32 const last = op.count * 8u - 1;
  EACH_LANE at[i] = at[i & last];
  std::uintptr_t const base = base_within(w, op, reach_of(at), row_bytes, false);
  if (base != 0) {
    for (u32 i = 0; i <= last; ++i)
      __builtin_memcpy(rows + i * row_bytes, reinterpret_cast<std::byte const*>(base + at[i]), row_bytes);
  } else if (!slow_load(w, op, at, row_bytes, rows)) {
    return nullptr;
  }
  for (u32 k = 0; k < op.count; ++k) {
    std::byte const* const matrix = rows + k * 8 * row_bytes;
    if (transposed)
      transpose(w.reg<u16>(op.extra[k]), reinterpret_cast<u16 const*>(matrix));
    else
      __builtin_memcpy(w.reg<u32>(op.extra[k]), matrix, 8 * row_bytes);
  }
  return &op + 1;
}

// What wmma.load and wmma.store have in common. A lane accesses a register at once if its elements are adjacent in
// memory, otherwise each of them: an access is of M. The stride, in elements, must be the same in all lanes.
template <class M> struct Strided {
  static constexpr u32 pieces = sizeof(M) < 4 ? 4 / sizeof(M) : 1;
  Fragment fragment;
  bool across; // the elements of a row of the fragment are `stride` apart
  u64 stride;
  std::uintptr_t base;      // of the host, for all accesses; 0: through the slow paths
  alignas(64) u64 from[32]; // the first access of each lane

  LANE_INLINE Strided(Warp& w, Op const& op, bool write)
      : fragment(fragment_numbered(op.shape)), across(op.transposed), stride(w.reg<u32>(op.b)[0]) {
    addresses(w, op, from);
    EACH_LANE from[i] += offset(place_in(fragment, 0, i));
    Reach reach = reach_of(from);
    u64 furthest = 0;
    for (u32 k = 0; k < fragment.tiles * fragment.tile_registers; ++k)
      for (u32 piece = 0; piece < pieces; ++piece) {
        u64 const beyond = distance(k, piece);
        furthest = beyond > furthest ? beyond : furthest;
        reach.low_bits |= beyond;
      }
    reach.highest += furthest;
    bool const wraps = reach.highest < furthest;
    base = wraps ? 0 : base_within(w, op, reach, sizeof(M), write);
  }
  LANE_INLINE u64 offset(MatrixPlace at) const {
    u64 const element = across ? at.column * stride + at.row : at.row * stride + at.column;
    return element * fragment.bits / 8;
  }
  // Of an access from the lane's first one: the same for all lanes.
  LANE_INLINE u64 distance(u32 register_, u32 piece) const {
    MatrixPlace at = place_in(fragment, register_, 0);
    at.column += piece;
    return offset(at);
  }
};

template <class M> struct RegisterFor { using type = u32; };
template <> struct RegisterFor<u64> { using type = u64; };

template <class M> bool load_row(Warp& w, Op const& op, Strided<M> const& matrix, u64 distance, M* to) {
  if (matrix.base != 0) {
    gather<M>(to, matrix.base + distance, matrix.from);
    return true;
  }
  alignas(64) u64 at[32];
  EACH_LANE at[i] = matrix.from[i] + distance;
  return slow_load(w, op, at, sizeof(M), reinterpret_cast<std::byte*>(to));
}

template <class M> Op const* load_matrix(Warp& w, Op const& op) {
  using R = typename RegisterFor<M>::type;
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  Strided<M> const matrix(w, op, false);
  Fragment const& f = matrix.fragment;
  u32 const distinct = f.tiles * f.tile_registers;
  alignas(64) M stage[32];
  for (u32 k = 0; k < f.registers; ++k) {
    R* const d = w.reg<R>(op.extra[k]);
    if (k >= distinct) {
      R const* const same = w.reg<R>(op.extra[k % distinct]);
      EACH_LANE d[i] = same[i];
      continue;
    }
    for (u32 piece = 0; piece < matrix.pieces; ++piece) {
      if (!load_row<M>(w, op, matrix, matrix.distance(k, piece), stage)) return nullptr;
      u32 const shift = piece * bits_in<M>;
      R const kept = piece == 0 ? R(0) : static_cast<R>(~R(0));
      EACH_LANE d[i] = (d[i] & kept) | R{stage[i]} << shift;
    }
  }
  return &op + 1;
}

template <class M> Op const* store_matrix(Warp& w, Op const& op) {
  using R = typename RegisterFor<M>::type;
  if (w.active != all_lanes) return op_lanes_missing(w, op);
  Strided<M> const matrix(w, op, true);
  alignas(64) u64 at[32];
  alignas(64) M stage[32];
  for (u32 k = 0; k < matrix.fragment.registers; ++k) {
    R const* const from = w.reg<R>(op.extra[k]);
    for (u32 piece = 0; piece < matrix.pieces; ++piece) {
      u32 const shift = piece * bits_in<M>;
      u64 const distance = matrix.distance(k, piece);
      EACH_LANE stage[i] = static_cast<M>(from[i] >> shift);
      if (matrix.base != 0) {
        scatter<M>(matrix.base + distance, matrix.from, all_lanes, stage);
        continue;
      }
      EACH_LANE at[i] = matrix.from[i] + distance;
      if (!slow_store(w, op, at, sizeof(M), reinterpret_cast<std::byte const*>(stage))) return nullptr;
    }
  }
  return &op + 1;
}

// By the width of an access.
constexpr Entry entries[] = {
    {"movmatrix", movmatrix},
    {"ldmatrix", ldmatrix<false>},
    {"ldmatrix.trans", ldmatrix<true>},
    {"wmma.load.u8", load_matrix<u8>},
    {"wmma.load.u16", load_matrix<u16>},
    {"wmma.load.u32", load_matrix<u32>},
    {"wmma.load.u64", load_matrix<u64>},
    {"wmma.store.u16", store_matrix<u16>},
    {"wmma.store.u32", store_matrix<u32>},
    {"wmma.store.u64", store_matrix<u64>},
};

} // namespace

Table fragments_table() { return table_of(entries); }

} // namespace pegasus::software::PEGASUS_ISA
