// SPDX-License-Identifier: Apache-2.0
// bar and barrier, PTX ISA 9.7.13.1.
#include "domA/device/software/exec/ops.h"

#include "domA/device/software/exec/machine/launch_state.h"

#include <bit>
#include <fmt/format.h>

namespace pegasus::software {

namespace {

std::uint32_t ones(std::uint32_t mask) { return static_cast<std::uint32_t>(std::popcount(mask)); }

// With a thread count, a warp counts as a whole: its exited lanes arrive with its last other lane.
std::uint32_t counted_arrivals(Block const& block, Barrier const& barrier) {
  std::uint32_t sum = 0;
  for (Warp const& w : block.warps) {
    std::uint32_t const here = barrier.lanes[w.number];
    sum += ones(here);
    if (here != 0 && (here | w.dead) == all_lanes) sum += ones(w.dead & ~here);
  }
  return sum;
}

bool complete(Block const& block, Barrier const& barrier) {
  if (barrier.expected == 0) return barrier.arrived >= block.live;
  return counted_arrivals(block, barrier) >= barrier.expected;
}

void give_result(Split const& split, Barrier const& barrier) {
  Op const& op = *split.waits_at;
  std::byte* const registers = split.paths.back().frame->registers;
  if (op.barrier == BarrierKind::red_popc) {
    auto* const d = reinterpret_cast<std::uint32_t*>(registers + op.d);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      if ((split.waiting >> i & 1) != 0) d[i] = barrier.count;
  } else if (op.barrier != BarrierKind::sync) {
    bool const answer = op.barrier == BarrierKind::red_and ? barrier.all : barrier.any;
    auto& p = *reinterpret_cast<std::uint32_t*>(registers + op.d);
    p = (p & ~split.waiting) | (answer ? split.waiting : 0);
  }
}

void release(Block& block, std::uint32_t number) {
  Barrier& barrier = block.barriers[number];
  for (Warp& w : block.warps) {
    for (Split& split : w.splits) {
      if (split.state != Split::State::at_barrier || split.barrier != number) continue;
      give_result(split, barrier);
      split.paths.back().pc = split.waits_at + 1;
      split.state = Split::State::runnable;
      split.waits_at = nullptr;
    }
  }
  barrier = Barrier{};
  block.barriers_in_use &= ~(1u << number);
}

} // namespace

void release_barriers(Block& block) {
  for (std::uint32_t rest = block.barriers_in_use; rest != 0; rest &= rest - 1) {
    auto const number = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (complete(block, block.barriers[number])) release(block, number);
  }
}

Op const* op_barrier(Warp& w, Op const& op) {
  Block& block = *w.block;
  auto const lane = static_cast<std::uint32_t>(std::countr_zero(w.active));
  std::uint32_t const number = op.a != 0 ? w.reg<std::uint32_t>(op.a)[lane] : 0;
  std::uint32_t const threads = op.b != 0 ? w.reg<std::uint32_t>(op.b)[lane] : 0;
  if (number >= barriers_per_block || (op.b != 0 && (threads == 0 || threads % lanes_per_warp != 0)))
    return raise(w, op, lane, device::Status::illegal_instruction,
                 fmt::format("barrier {} for {} threads: numbers are 0 to 15, threads a multiple of 32",
                             number, threads));
  Barrier& barrier = block.barriers[number];
  block.barriers_in_use |= 1u << number;
  if (threads != 0) barrier.expected = threads;
  barrier.arrived += ones(w.active);
  barrier.lanes[w.number] |= w.active;
  if (op.c != 0) {
    std::uint32_t const truth = w.pred(op.c) & w.active;
    barrier.count += ones(truth);
    barrier.all = barrier.all && truth == w.active;
    barrier.any = barrier.any || truth != 0;
  }
  if (op.barrier == BarrierKind::arrive) return &op + 1;
  Split& split = w.splits[w.current];
  split.barrier = number;
  split.waits_at = &op;
  w.stop = Stop::barrier;
  return nullptr;
}

} // namespace pegasus::software
