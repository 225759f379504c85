// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/machine/exchange.h"

#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/machine/paths.h"
#include "domA/device/software/exec/ops.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace pegasus::software {

namespace {

// The lanes may reach the same exchange at different places of the code. Values are collected from each
// place's registers, exchanged, and written back to each place's registers.
struct Values {
  std::uint64_t a[lanes_per_warp] = {};
  std::uint32_t b[lanes_per_warp] = {}, c[lanes_per_warp] = {};
  std::uint32_t truth = 0; // of a, as a predicate
  std::uint64_t result[lanes_per_warp] = {};
  std::uint32_t result_truth = 0;
};

bool is_shuffle(Exchange kind) { return kind >= Exchange::shfl_up && kind <= Exchange::shfl_idx; }
bool is_vote(Exchange kind) { return kind >= Exchange::vote_all && kind <= Exchange::vote_ballot; }
bool is_match64(Exchange kind) { return kind == Exchange::match_any64 || kind == Exchange::match_all64; }

template <class T> T const* at(std::byte const* registers, std::uint32_t offset) {
  return reinterpret_cast<T const*>(registers + offset);
}

// A shuffle may read a lane that does not take part: undefined in PTX; 0 on NVIDIA's GPUs and here.
void collect(Participants const& p, Values& v) {
  Op const& op = *p.op;
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i) {
    if ((p.lanes >> i & 1) == 0) continue;
    if (is_vote(op.exchange)) continue;
    v.a[i] = is_match64(op.exchange) ? at<std::uint64_t>(p.registers, op.a)[i]
                                     : at<std::uint32_t>(p.registers, op.a)[i];
    if (!is_shuffle(op.exchange)) continue;
    v.b[i] = at<std::uint32_t>(p.registers, op.b)[i];
    v.c[i] = at<std::uint32_t>(p.registers, op.c)[i];
  }
  if (is_vote(op.exchange)) {
    std::uint32_t const truth = *at<std::uint32_t>(p.registers, op.a);
    v.truth |= truth & p.lanes;
  }
}

// PTX ISA 9.7.9.6, the formula of shfl: c holds the clamp in bits 0..4 and the segment mask in bits 8..12.
void shuffle(Exchange kind, std::uint32_t lanes, Values& v) {
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    int const lane = std::countr_zero(rest);
    std::uint32_t const c = v.c[lane];
    int const b = static_cast<int>(v.b[lane] & 31);
    int const segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31);
    int const highest = (lane & segment) | (clamp & ~segment);
    int const lowest = lane & segment;
    int j = 0;
    bool inside = false;
    switch (kind) {
    case Exchange::shfl_up:
      j = lane - b, inside = j >= highest;
      break;
    case Exchange::shfl_down:
      j = lane + b, inside = j <= highest;
      break;
    case Exchange::shfl_bfly:
      j = lane ^ b, inside = j <= highest;
      break;
    default:
      j = lowest | (b & ~segment), inside = j <= highest;
      break;
    }
    v.result[lane] = v.a[inside ? j : lane];
    v.result_truth |= std::uint32_t{inside} << lane;
  }
}

void vote(Exchange kind, std::uint32_t lanes, Values& v) {
  bool const all = v.truth == lanes, any = v.truth != 0;
  bool const answer = kind == Exchange::vote_all ? all : kind == Exchange::vote_any ? any : all || !any;
  v.result_truth = answer ? all_lanes : 0;
  for (std::uint64_t& r : v.result)
    r = v.truth;
}

void match(Exchange kind, std::uint32_t lanes, Values& v) {
  bool const want_all = kind == Exchange::match_all32 || kind == Exchange::match_all64;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    int const lane = std::countr_zero(rest);
    std::uint32_t same = 0;
    for (std::uint32_t other = lanes; other != 0; other &= other - 1) {
      int const i = std::countr_zero(other);
      same |= std::uint32_t{v.a[i] == v.a[lane]} << i;
    }
    bool const agreed = same == lanes;
    v.result[lane] = want_all ? (agreed ? lanes : 0) : same;
    v.result_truth |= std::uint32_t{agreed} << lane;
  }
}

std::uint32_t combine(Exchange kind, std::uint32_t x, std::uint32_t y) {
  auto const sx = static_cast<std::int32_t>(x), sy = static_cast<std::int32_t>(y);
  switch (kind) {
  case Exchange::redux_add:
    return x + y;
  case Exchange::redux_min_u32:
    return std::min(x, y);
  case Exchange::redux_max_u32:
    return std::max(x, y);
  case Exchange::redux_min_s32:
    return static_cast<std::uint32_t>(std::min(sx, sy));
  case Exchange::redux_max_s32:
    return static_cast<std::uint32_t>(std::max(sx, sy));
  case Exchange::redux_and:
    return x & y;
  case Exchange::redux_or:
    return x | y;
  default:
    return x ^ y;
  }
}

void reduce(Exchange kind, std::uint32_t lanes, Values& v) {
  auto sum = static_cast<std::uint32_t>(v.a[std::countr_zero(lanes)]);
  for (std::uint32_t rest = lanes & (lanes - 1); rest != 0; rest &= rest - 1)
    sum = combine(kind, sum, static_cast<std::uint32_t>(v.a[std::countr_zero(rest)]));
  for (std::uint64_t& r : v.result)
    r = sum;
}

// d is the value and d2 the predicate; the result of a vote is a predicate in d unless it is a ballot.
void hand_back(Participants const& p, Values const& v) {
  Op const& op = *p.op;
  auto const put_truth = [&](std::uint32_t offset) {
    auto& truth = *reinterpret_cast<std::uint32_t*>(p.registers + offset);
    truth = (truth & ~p.lanes) | (v.result_truth & p.lanes);
  };
  if (is_vote(op.exchange) && op.exchange != Exchange::vote_ballot) return put_truth(op.d);
  auto* const d = reinterpret_cast<std::uint32_t*>(p.registers + op.d);
  for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
    if ((p.lanes >> i & 1) != 0) d[i] = static_cast<std::uint32_t>(v.result[i]);
  if (!op.discard) put_truth(op.d2);
}

} // namespace

void perform_exchange(std::span<Participants const> all) {
  Exchange const kind = all.front().op->exchange;
  if (kind == Exchange::warp_barrier) return;
  Values v;
  std::uint32_t lanes = 0;
  for (Participants const& p : all) {
    collect(p, v);
    lanes |= p.lanes;
  }
  if (is_shuffle(kind))
    shuffle(kind, lanes, v);
  else if (is_vote(kind))
    vote(kind, lanes, v);
  else if (kind >= Exchange::redux_add)
    reduce(kind, lanes, v);
  else
    match(kind, lanes, v);
  for (Participants const& p : all)
    hand_back(p, v);
}

// A vote with all its lanes here.
static void vote_here(Warp& w, Op const& op) {
  std::uint32_t const truth = w.pred(op.a) & w.active;
  if (op.exchange == Exchange::vote_ballot) {
    auto* const d = w.reg<std::uint32_t>(op.d);
    for (std::uint32_t i = 0; i < lanes_per_warp; ++i)
      d[i] = (w.active >> i & 1) != 0 ? truth : d[i];
    return;
  }
  bool const all = truth == w.active, any = truth != 0;
  bool const answer = op.exchange == Exchange::vote_all   ? all
                      : op.exchange == Exchange::vote_any ? any
                                                          : all || !any;
  std::uint32_t& d = w.pred(op.d);
  d = (d & ~w.active) | (answer ? w.active : 0);
}

Op const* op_exchange(Warp& w, Op const& op) {
  std::uint32_t const members =
      op.implicit_members ? w.active : w.reg<std::uint32_t>(op.e)[std::countr_zero(w.active)];
  if ((members & ~w.dead & ~w.active) == 0) {
    if (is_vote(op.exchange)) {
      vote_here(w, op);
    } else {
      Participants const here{&op, w.registers, w.active};
      perform_exchange(std::span(&here, 1));
    }
    return &op + 1;
  }
  w.splits[w.current].members = members;
  w.splits[w.current].waits_at = &op;
  w.stop = Stop::exchange;
  return nullptr;
}

// It follows a barrier of the warp, so that other lanes are not late: they never come.
Op const* op_lanes_missing(Warp& w, Op const& op) {
  std::uint32_t const missing = ~w.active, gone = missing & w.dead;
  return raise(
      w, op, static_cast<std::uint32_t>(std::countr_zero(w.active)), device::Status::launch_failed,
      fmt::format("an operation on matrices needs all 32 lanes of the warp: lanes {:#x} have exited or are "
                  "beyond the block, lanes {:#x} are at another instruction",
                  gone, missing & ~gone));
}

} // namespace pegasus::software
