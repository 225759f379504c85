// SPDX-License-Identifier: Apache-2.0
// What cp.async reads if its source may be smaller, and the checks of operations on cache lines: PTX ISA 9.7.9.
#include "domA/device/software/exec/ops.h"

#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/machine/memory_access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace pegasus::software {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 most_bytes = 16; // of a copy
constexpr u32 line_bytes = 128;

using CopySizes = std::array<u32, lanes_per_warp>;
using CopyValues = std::array<std::array<std::byte, most_bytes>, lanes_per_warp>;

// Reads the piece of each lane that bit `piece` of its size stands for; larger ones are before it.
bool read_piece(Warp& w, Op const& op, CopySizes const& sizes, u32 piece, CopyValues& values) {
  alignas(64) std::array<u64, lanes_per_warp> at{};
  alignas(64) std::array<std::byte, lanes_per_warp * most_bytes> stage{};
  u32 const active = w.active;
  u32 reading = 0;
  auto const before = [&](u32 lane) { return sizes[lane] & ~(2 * piece - 1); };
  for (u32 rest = active; rest != 0; rest &= rest - 1) {
    u32 const lane = static_cast<u32>(std::countr_zero(rest));
    at[lane] = address_of(w, op, lane) + before(lane);
    if ((sizes[lane] & piece) != 0) reading |= 1u << lane;
  }
  w.active = reading;
  bool const good = slow_load(w, op, at.data(), piece, stage.data());
  w.active = active;
  for (u32 rest = good ? reading : 0; rest != 0; rest &= rest - 1) {
    u32 const lane = static_cast<u32>(std::countr_zero(rest));
    std::memcpy(values[lane].data() + before(lane), stage.data() + std::size_t{lane} * piece, piece);
  }
  return good;
}

} // namespace

Op const* op_load_part(Warp& w, Op const& op) {
  u32 const bytes = op.count * 4;
  CopySizes sizes{};
  CopyValues values{};
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    u32 const lane = static_cast<u32>(std::countr_zero(rest));
    bool const ignored = op.c != 0 && (w.pred(op.c) >> lane & 1) != 0;
    if (!ignored) sizes[lane] = op.b != 0 ? std::min(w.reg<u32>(op.b)[lane], bytes) : bytes;
    if (sizes[lane] != 0 && address_of(w, op, lane) % bytes != 0)
      return raise(w, op, lane, device::Status::misaligned_address,
                   fmt::format("misaligned copy of {} bytes at {:#x}", bytes, address_of(w, op, lane)));
  }
  for (u32 piece = bytes; piece != 0; piece /= 2)
    if (!read_piece(w, op, sizes, piece, values)) return nullptr;
  for (u32 k = 0; k < op.count; ++k)
    for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
      u32 const lane = static_cast<u32>(std::countr_zero(rest));
      std::memcpy(w.reg<u32>(op.extra[k]) + lane, values[lane].data() + std::size_t{k} * 4, 4);
    }
  return &op + 1;
}

Op const* op_check_line(Warp& w, Op const& op) {
  alignas(64) std::array<u64, lanes_per_warp> at{};
  alignas(64) std::array<std::byte, lanes_per_warp * line_bytes> unused;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane)
    at[lane] = address_of(w, op, lane);
  return slow_load(w, op, at.data(), line_bytes, unused.data()) ? &op + 1 : nullptr;
}

} // namespace pegasus::software
