// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/ops.h"

#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/machine/paths.h"
#include "domA/device/software/exec/memory/windows.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace pegasus::software {

Op const* op_guarded(Warp& w, Op const& op) {
  std::uint32_t const p = w.pred(op.guard) ^ (op.negated ? all_lanes : 0);
  std::uint32_t const lanes = w.mask & p;
  if (lanes == 0) return &op + 1;
  if (lanes == w.mask) return op.body(w, op);
  w.active = lanes;
  w.full = false;
  Op const* const next = op.body(w, op);
  w.active = w.mask;
  w.full = (w.mask | w.dead) == all_lanes;
  return next;
}

Op const* op_jump(Warp&, Op const& op) { return op.target; }

Op const* op_jump_back(Warp& w, Op const& op) {
  if (--w.budget <= 0) return pause(w, op.target);
  return op.target;
}

static Op const* branch(Warp& w, Op const& op) {
  std::uint32_t const p = w.pred(op.a) ^ (op.negated ? all_lanes : 0);
  std::uint32_t const taken = w.mask & p;
  if (taken == w.mask) return op.target;
  if (taken == 0) return &op + 1;
  Fork const forks[] = {{&op + 1, w.mask & ~taken}, {op.target, taken}};
  return diverge(w, op.join, forks);
}

Op const* op_branch(Warp& w, Op const& op) { return branch(w, op); }

Op const* op_branch_back(Warp& w, Op const& op) {
  if (--w.budget <= 0) { // the branch itself runs next: its condition does not change
    w.budget = 0;
    return pause(w, &op);
  }
  return branch(w, op);
}

Op const* op_branch_indexed(Warp& w, Op const& op) {
  std::vector<Op const*> const& targets = w.frame->code->jumps[op.index].targets;
  std::uint32_t const* const index = w.reg<std::uint32_t>(op.a);
  Fork forks[lanes_per_warp];
  std::size_t used = 0;
  for (std::uint32_t rest = w.active; rest != 0; rest &= rest - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (index[lane] >= targets.size())
      return raise(w, op, lane, device::Status::invalid_pc,
                   fmt::format("brx.idx with index {} of {} targets", index[lane], targets.size()));
    std::size_t k = 0;
    while (k < used && forks[k].target != targets[index[lane]])
      ++k;
    if (k == used) forks[used++] = {targets[index[lane]], 0};
    forks[k].lanes |= 1u << lane;
  }
  if (w.active != w.mask) forks[used++] = {&op + 1, w.mask & ~w.active};
  if (--w.budget <= 0) return pause(w, &op);
  if (used == 1) return forks[0].target;
  return diverge(w, op.join, std::span(forks, used));
}

Op const* op_join(Warp& w, Op const& op) {
  std::vector<Path>& paths = w.splits[w.current].paths;
  Op const* next = &op + 1;
  if (paths.back().join == &op) {
    paths.pop_back();
    while (paths.back().mask == 0)
      paths.pop_back();
    enter_top(w);
    next = paths.back().pc;
  }
  // If the warp is split, gives the other splits a chance to arrive here too.
  return w.splits.size() > 1 ? pause(w, next) : next;
}

Op const* op_exit(Warp& w, Op const& op) { return exit_lanes(w, w.active, &op + 1); }

Op const* op_exit_if(Warp& w, Op const& op) {
  std::uint32_t const lanes = w.mask & (w.pred(op.a) ^ (op.negated ? all_lanes : 0));
  return lanes == 0 ? &op + 1 : exit_lanes(w, lanes, &op + 1);
}

namespace {

// Copies one value from a frame's local memory or register to another's, for some lanes.
void pass(Warp& w, Frame const& from, Passing const& source, Frame const& to, Passing const& target,
          std::uint32_t lanes) {
  std::byte value[8];
  for (; lanes != 0; lanes &= lanes - 1) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    for (std::uint32_t done = 0; done < source.bytes; done += 8) {
      std::uint32_t const n = std::min(source.bytes - done, 8u);
      if (source.in_register)
        std::memcpy(value, from.registers + source.offset + lane * source.bytes, n);
      else
        read_local(w, lane, from.local_base + source.offset + done, value, n);
      if (target.in_register)
        std::memcpy(to.registers + target.offset + lane * target.bytes, value, n);
      else
        write_local(w, lane, to.local_base + target.offset + done, value, n);
    }
  }
}

// A .reg parameter has at most 8 bytes and no address; sizes must match exactly.
bool fits(std::vector<Passing> const& given, std::vector<Passing> const& wanted) {
  if (given.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i].bytes != wanted[i].bytes) return false;
  return true;
}

// Returns false if a fault was raised.
bool enter(Warp& w, Op const& op, FunctionCode const& callee, std::uint32_t lanes) {
  CallSite const& site = w.frame->code->calls[op.index];
  if (!fits(site.arguments, callee.parameters) || !fits(site.returns, callee.returns)) {
    raise(w, op, static_cast<std::uint32_t>(std::countr_zero(lanes)), device::Status::illegal_instruction,
          fmt::format("call of '{}' with parameters of other sizes than it declares", callee.name));
    return false;
  }
  Frame* const frame = new_frame(w, op, callee, lanes);
  if (frame == nullptr) return false;
  for (std::size_t i = 0; i < site.arguments.size(); ++i)
    pass(w, *w.frame, site.arguments[i], *frame, callee.parameters[i], lanes);
  w.splits[w.current].paths.push_back({callee.ops.data(), nullptr, frame, lanes});
  return true;
}

} // namespace

Op const* op_call(Warp& w, Op const& op) {
  if (--w.budget <= 0) return pause(w, &op); // recursion is a loop, too
  w.splits[w.current].paths.back().pc = &op + 1;
  CallSite const& site = w.frame->code->calls[op.index];
  if (!enter(w, op, *site.callee, w.active)) return nullptr;
  enter_top(w);
  return site.callee->ops.data();
}

Op const* op_call_indirect(Warp& w, Op const& op) {
  if (--w.budget <= 0) return pause(w, &op);
  auto const& by_address = w.block->launch->kernel->by_address;
  std::uint64_t const* const address = w.reg<std::uint64_t>(op.a);
  w.splits[w.current].paths.back().pc = &op + 1;
  for (std::uint32_t rest = w.active; rest != 0;) {
    auto const lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    auto const target = by_address.find(address[lane]);
    if (target == by_address.end())
      return raise(w, op, lane, device::Status::invalid_pc,
                   fmt::format("call to {:#x}, which is not a function", address[lane]));
    std::uint32_t same = 0;
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      if ((rest >> i & 1) != 0 && address[i] == address[lane]) same |= 1u << i;
    if (!enter(w, op, *target->second, same)) return nullptr;
    rest &= ~same;
  }
  enter_top(w);
  return w.splits[w.current].paths.back().pc;
}

Op const* op_return(Warp& w, Op const& op) {
  Frame* const frame = w.frame;
  if (frame->caller == nullptr) return exit_lanes(w, w.active, &op + 1);
  CallSite const& site = frame->caller->code->calls[frame->call->index];
  for (std::size_t i = 0; i < site.returns.size(); ++i)
    pass(w, *frame, frame->code->returns[i], *frame->caller, site.returns[i], w.active);
  return return_lanes(w, w.active, &op + 1);
}

Op const* op_trap(Warp& w, Op const& op) {
  return raise(w, op, static_cast<std::uint32_t>(std::countr_zero(w.active)), device::Status::launch_failed,
               "trap instruction");
}

// Time passes only by other work: a sleeping thread gives up its time slice soon.
Op const* op_nanosleep(Warp& w, Op const& op) {
  w.budget -= 4096;
  return w.budget <= 0 ? pause(w, &op + 1) : &op + 1;
}

} // namespace pegasus::software
