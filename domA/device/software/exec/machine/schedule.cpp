// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/machine/schedule.h"

#include "domA/device/software/exec/machine/block.h"
#include "domA/device/software/exec/machine/exchange.h"
#include "domA/device/software/exec/machine/paths.h"

#include <algorithm>
#include <array>

namespace pegasus::software {

namespace {

// Backward branches before other warps or splits get a time slice; fewer if the warp is split, so that a
// spinning split wastes little time.
constexpr std::int64_t budget_whole = 1 << 12;
constexpr std::int64_t budget_split = 1 << 8;
// After this many backward branches, a path that others wait for is assumed to spin for one of them.
// Splitting a warp that merely has a long loop would cost its convergence.
constexpr std::int64_t spinning = 1 << 16;

// Whether split a is closer to the place where the splits' code meets again: deeper in calls, then earlier
// in the code. Between functions any order works, except that of their code on the host, which differs from
// run to run.
bool before(Split const& a, Split const& b) {
  Path const& x = a.paths.back();
  Path const& y = b.paths.back();
  if (x.frame->depth != y.frame->depth) return x.frame->depth > y.frame->depth;
  std::uint32_t const in_x = x.frame->code->index, in_y = y.frame->code->index;
  return in_x != in_y ? in_x < in_y : x.pc < y.pc;
}

// Usually the split that is behind, so that it catches up with the others; every eighth time, and after a
// pause, the next one in turn, so that all make progress even if the one behind spins.
std::uint32_t choose(Warp& w) {
  auto const n = static_cast<std::uint32_t>(w.splits.size());
  bool const rotate = ++w.picks % 8 == 0 || w.stop == Stop::pause;
  std::uint32_t best = n;
  for (std::uint32_t k = 0; k < n; ++k) {
    std::uint32_t const i = (w.current + 1 + k) % n;
    if (w.splits[i].state != Split::State::runnable) continue;
    if (best == n || (!rotate && before(w.splits[i], w.splits[best]))) best = i;
  }
  return best;
}

// The active lanes wait; the rest of the split continues.
void block_lanes(Warp& w, Split::State state) {
  std::uint32_t const lanes = w.active;
  Split& split = w.splits[w.current];
  Split const reason = {{}, state, split.waits_at, split.barrier, split.members, lanes, 0};
  split.waits_at = nullptr;
  split.paths.back().pc = reason.waits_at;
  std::uint32_t waiting = w.current;
  if (split.paths.front().mask != lanes) {
    bool const guarded = split.paths.back().mask != lanes; // some lanes of the path skip the op
    waiting = split_warp(w, lanes);
    if (guarded) w.splits[w.current].paths.back().pc = reason.waits_at + 1;
  }
  Split& blocked = w.splits[waiting];
  blocked.state = reason.state;
  blocked.waits_at = reason.waits_at;
  blocked.barrier = reason.barrier;
  blocked.members = reason.members;
  blocked.waiting = lanes;
  blocked.long_run = 0;
}

// Performs each exchange once all its members have arrived.
void resolve_exchanges(Warp& w) {
  for (Split const& asking : w.splits) {
    if (asking.state != Split::State::at_exchange) continue;
    std::array<Participants, lanes_per_warp> here;
    std::size_t n = 0;
    std::uint32_t lanes = 0;
    auto const takes_part = [&](Split const& s) {
      return s.state == Split::State::at_exchange && s.members == asking.members &&
             s.waits_at->exchange == asking.waits_at->exchange;
    };
    for (Split const& s : w.splits) {
      if (!takes_part(s)) continue;
      here[n] = {s.waits_at, s.paths.back().frame->registers, s.waiting};
      lanes |= here[n++].lanes;
    }
    if ((asking.members & ~w.dead & ~lanes) != 0) continue;
    perform_exchange(std::span(here.data(), n));
    Exchange const kind = asking.waits_at->exchange;
    std::uint32_t const members = asking.members;
    for (Split& s : w.splits) {
      if (s.state != Split::State::at_exchange || s.members != members || s.waits_at->exchange != kind)
        continue;
      s.paths.back().pc = s.waits_at + 1;
      s.state = Split::State::runnable;
      s.waits_at = nullptr;
    }
  }
}

// A path that has run long while other lanes of its split wait for it may be spinning for one of them.
void part_from_waiting(Warp& w) {
  Split& split = w.splits[w.current];
  if (split.long_run < spinning) return;
  split.long_run = 0;
  if (split.paths.front().mask != split.paths.back().mask) split_warp(w, split.paths.back().mask);
}

} // namespace

bool runnable(Warp const& w) {
  return std::any_of(w.splits.begin(), w.splits.end(),
                     [](Split const& s) { return s.state == Split::State::runnable; });
}

void run_warp(Warp& w) {
  bool const whole = w.splits.size() == 1;
  w.current = whole ? 0 : choose(w);
  std::int64_t const budget = std::min(whole ? budget_whole : budget_split, w.block->warp_budget);
  w.budget = budget;
  w.stop = Stop::none;
  enter_top(w);
  Op const* pc = w.splits[w.current].paths.back().pc;
  for (Op const* next; (next = pc->fn(w, *pc)) != nullptr;)
    pc = next;
  if (w.stop == Stop::none) // it would be asked again and again
    raise(w, *pc, 0, device::Status::launch_failed, "the operation ended without a reason");
  w.block->budget -= budget - w.budget;
  bool const spent = w.budget <= 0;
  switch (w.stop) {
  case Stop::barrier:
    block_lanes(w, Split::State::at_barrier);
    break;
  case Stop::exchange:
    block_lanes(w, Split::State::at_exchange);
    break;
  case Stop::pause:
    w.splits[w.current].long_run += budget - w.budget;
    if (spent) part_from_waiting(w);
    break;
  default:
    break;
  }
  if (w.stop == Stop::pause && !spent)
    w.stop = Stop::none; // at a meeting place: the split that is behind goes next
  if (w.splits.size() > 1 || w.stop == Stop::exchange || w.stop == Stop::done) {
    resolve_exchanges(w);
    reconverge(w);
  }
}

} // namespace pegasus::software
