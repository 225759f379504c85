// SPDX-License-Identifier: Apache-2.0
// Values of the warp, block or launch: special registers (PTX ISA 10), parameters, addresses.
#include "domA/device/software/exec/ops.h"

#include "domA/device/software/exec/device_limits.h"
#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/memory/windows.h"

#include <array>
#include <bit>
#include <chrono>
#include <cstring>

namespace pegasus::software {

std::array<std::uint32_t, 3> thread_index(Warp const& w, std::uint32_t lane) {
  auto const& size = w.block->launch->launch->block;
  std::uint32_t const linear = w.number * lanes_per_warp + lane;
  return {linear % size[0], linear / size[0] % size[1], linear / size[0] / size[1]};
}

namespace {

// The device's clock counts nanoseconds: it runs at 1 GHz.
std::uint64_t clock_now() {
  auto const now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
std::uint64_t time_now() {
  auto const now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::uint64_t of_lane(SpecialRegister which, std::uint32_t lane) {
  std::uint32_t const bit = 1u << lane;
  switch (which) {
  case SpecialRegister::laneid:
    return lane;
  case SpecialRegister::lanemask_eq:
    return bit;
  case SpecialRegister::lanemask_lt:
    return bit - 1;
  case SpecialRegister::lanemask_le:
    return bit | (bit - 1);
  case SpecialRegister::lanemask_gt:
    return ~(bit | (bit - 1));
  default:
    return ~(bit - 1); // lanemask_ge
  }
}

std::uint64_t of_warp(Warp const& w, SpecialRegister which) {
  LaunchState const& state = *w.block->launch;
  auto const& grid = state.launch->grid;
  auto const& block = state.launch->block;
  switch (which) {
  case SpecialRegister::ntid_x:
    return block[0];
  case SpecialRegister::ntid_y:
    return block[1];
  case SpecialRegister::ntid_z:
    return block[2];
  case SpecialRegister::ctaid_x:
    return w.block->index[0];
  case SpecialRegister::ctaid_y:
    return w.block->index[1];
  case SpecialRegister::ctaid_z:
    return w.block->index[2];
  case SpecialRegister::nctaid_x:
    return grid[0];
  case SpecialRegister::nctaid_y:
    return grid[1];
  case SpecialRegister::nctaid_z:
    return grid[2];
  case SpecialRegister::warpid:
    return w.number;
  case SpecialRegister::nwarpid:
    return 32;
  case SpecialRegister::nsmid:
    return 1;
  case SpecialRegister::clock:
    return clock_now() & 0xffffffff;
  case SpecialRegister::clock_hi:
    return clock_now() >> 32;
  case SpecialRegister::clock64:
    return clock_now();
  case SpecialRegister::globaltimer:
    return time_now();
  case SpecialRegister::globaltimer_lo:
    return time_now() & 0xffffffff;
  case SpecialRegister::globaltimer_hi:
    return time_now() >> 32;
  case SpecialRegister::dynamic_smem_size:
    return state.launch->dynamic_shared_bytes;
  case SpecialRegister::total_smem_size:
    return own_shared_bytes(state);
  case SpecialRegister::reserved_smem_begin:
    return reserved_shared_at(state);
  case SpecialRegister::reserved_smem_end:
    return reserved_shared_at(state) + reserved_shared_bytes;
  case SpecialRegister::reserved_smem_cap:
    return reserved_shared_bytes;
  case SpecialRegister::grid_workspace_hi:
    return state.grid_workspace >> 32;
  case SpecialRegister::grid_workspace_lo:
    return state.grid_workspace & 0xffffffff;
  default:
    return 0; // smid, gridid, zero
  }
}

// d[i] = value(i), in the active lanes. Without conditions in the usual case, so that it is done for several at a time.
template <class T, class Value> Op const* write_lanes(Warp& w, Op const& op, Value value) {
  T* const d = w.reg<T>(op.d);
  if (w.full || w.active == all_lanes) {
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      d[i] = value(i);
  } else {
    for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
      auto const i = static_cast<std::uint32_t>(std::countr_zero(rest));
      d[i] = value(i);
    }
  }
  return &op + 1;
}
template <class T> Op const* write_same(Warp& w, Op const& op, T value) {
  return write_lanes<T>(w, op, [value](std::uint32_t) { return value; });
}

template <class T> Op const* special(Warp& w, Op const& op) {
  auto const which = static_cast<SpecialRegister>(op.imm);
  if (which <= SpecialRegister::tid_z) {
    std::array<std::uint32_t, lanes_per_warp> ids; // a copy: registers are never where these are
    std::memcpy(ids.data(), w.thread_ids[static_cast<std::size_t>(which)], sizeof ids);
    return write_lanes<T>(w, op, [&ids](std::uint32_t i) { return static_cast<T>(ids[i]); });
  }
  if (which == SpecialRegister::laneid ||
      (which >= SpecialRegister::lanemask_eq && which <= SpecialRegister::lanemask_gt))
    return write_lanes<T>(w, op, [which](std::uint32_t i) { return static_cast<T>(of_lane(which, i)); });
  return write_same(w, op, static_cast<T>(of_warp(w, which)));
}

template <class T> Op const* parameter(Warp& w, Op const& op) {
  T value;
  std::memcpy(&value, w.block->launch->parameters.data() + op.imm,
              sizeof value); // the bounds were checked during lowering
  return write_same(w, op, value);
}

} // namespace

Op const* op_special32(Warp& w, Op const& op) { return special<std::uint32_t>(w, op); }
Op const* op_special64(Warp& w, Op const& op) { return special<std::uint64_t>(w, op); }
Op const* op_parameter32(Warp& w, Op const& op) { return parameter<std::uint32_t>(w, op); }
Op const* op_parameter64(Warp& w, Op const& op) { return parameter<std::uint64_t>(w, op); }

Op const* op_local_address32(Warp& w, Op const& op) {
  return write_same(w, op, static_cast<std::uint32_t>(w.frame->local_base + op.imm));
}
Op const* op_local_address64(Warp& w, Op const& op) {
  return write_same(w, op, std::uint64_t{w.frame->local_base} + op.imm);
}
Op const* op_active_mask(Warp& w, Op const& op) { return write_same(w, op, w.active); }
Op const* op_is_space(Warp& w, Op const& op) {
  std::uint64_t const* const a = w.reg<std::uint64_t>(op.a);
  std::uint64_t const bytes = op.imm == global_window ? global_window_bytes : window_bytes;
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    mask |= std::uint32_t{a[i] - op.imm < bytes} << i;
  std::uint32_t& d = w.pred(op.d);
  d = (d & ~w.active) | (mask & w.active);
  return &op + 1;
}

} // namespace pegasus::software
