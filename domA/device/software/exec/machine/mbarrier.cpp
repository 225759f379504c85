// SPDX-License-Identifier: Apache-2.0
// mbarrier, PTX ISA 9.7.13.15. Lanes act in ascending order; one that waits does so in a loop of its own.
#include "domA/device/software/exec/mbarrier_word.h"
#include "domA/device/software/exec/ops.h"

#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/machine/memory_access.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace pegasus::software {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Calls change(object, lane), which returns the reason of a fault or nothing, for each lane.
template <class Change> Op const* each(Warp& w, Op const& op, Change change) {
  for (u32 rest = w.active; rest != 0; rest &= rest - 1) {
    u32 const lane = static_cast<u32>(std::countr_zero(rest));
    u64 const at = address_of(w, op, lane);
    OperandIn in{};
    std::byte* const where = atomic_operand(w, op, lane, at, sizeof(u64), in);
    if (where == nullptr) return nullptr;
    if (in != OperandIn::shared)
      return raise(w, op, lane, device::Status::invalid_address_space,
                   fmt::format("an mbarrier at {:#x}, which is not shared memory", at));
    u64 bits = 0;
    std::memcpy(&bits, where, sizeof bits);
    MbarrierWord object = MbarrierWord::of(bits);
    if (std::string const wrong = change(object, lane); !wrong.empty())
      return raise(w, op, lane, device::Status::illegal_instruction, wrong);
    bits = object.bits();
    std::memcpy(where, &bits, sizeof bits);
  }
  return &op + 1;
}

// b: how many arrive.
Op const* arrive(Warp& w, Op const& op, bool drops) {
  return each(w, op, [&](MbarrierWord& object, u32 lane) -> std::string {
    u64 const count = w.reg<u32>(op.b)[lane];
    if (!op.discard) w.reg<u64>(op.d)[lane] = object.bits();
    if (count > object.pending || (drops && count > object.expected))
      return fmt::format("{} arrivals at an mbarrier that expects {}", count, object.pending);
    object.pending -= count;
    if (drops) object.expected -= count;
    if (object.pending == 0 && count != 0) {
      object.pending = object.expected;
      ++object.phase;
    }
    return {};
  });
}

template <class IsComplete> Op const* test(Warp& w, Op const& op, IsComplete is_complete) {
  u32 complete = 0;
  Op const* const next = each(w, op, [&](MbarrierWord const& object, u32 lane) -> std::string {
    if (is_complete(object.phase, lane)) complete |= 1u << lane;
    return {};
  });
  u32& d = w.pred(op.d);
  if (next != nullptr) d = (d & ~w.active) | complete;
  return next;
}

} // namespace

Op const* op_mbarrier_init(Warp& w, Op const& op) {
  return each(w, op, [&](MbarrierWord& object, u32 lane) -> std::string {
    u64 const count = w.reg<u32>(op.b)[lane];
    if (count == 0 || count > MbarrierWord::most)
      return fmt::format("an mbarrier for {} arrivals; 1 to {} may be", count, MbarrierWord::most);
    object = {count, count, 0};
    return {};
  });
}

Op const* op_mbarrier_invalidate(Warp& w, Op const& op) {
  return each(w, op, [](MbarrierWord& object, u32) -> std::string {
    object = {};
    return {};
  });
}

Op const* op_mbarrier_arrive(Warp& w, Op const& op) { return arrive(w, op, false); }
Op const* op_mbarrier_arrive_drop(Warp& w, Op const& op) { return arrive(w, op, true); }

// b: what an arrival returned.
Op const* op_mbarrier_test(Warp& w, Op const& op) {
  u64 const* const state = w.reg<u64>(op.b);
  return test(w, op, [&](u64 phase, u32 lane) { return MbarrierWord::of(state[lane]).phase != phase; });
}
// b: the parity of the phase that is waited for, the current or the one before.
Op const* op_mbarrier_test_parity(Warp& w, Op const& op) {
  u32 const* const parity = w.reg<u32>(op.b);
  return test(w, op, [&](u64 phase, u32 lane) { return (parity[lane] & 1) != (phase & 1); });
}

} // namespace pegasus::software
