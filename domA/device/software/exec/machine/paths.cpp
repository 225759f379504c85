// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/machine/paths.h"

#include "domA/device/software/exec/machine/launch_state.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace pegasus::software {

namespace {

constexpr std::uint32_t max_call_depth = 4096;
constexpr std::uint64_t max_frames_bytes = std::uint64_t{1} << 30; // of all running warps

std::vector<Path>& paths_of(Warp& w) { return w.splits[w.current].paths; }

void drop_empty(std::vector<Path>& paths) {
  while (!paths.empty() && paths.back().mask == 0)
    paths.pop_back();
}

} // namespace

Frame::~Frame() { std::free(registers); }

void enter_top(Warp& w) {
  Path const& path = paths_of(w).back();
  w.mask = w.active = path.mask;
  w.full = (path.mask | w.dead) == all_lanes;
  w.frame = path.frame;
  w.registers = path.frame->registers;
}

// The stack stays short: a path is only replaced by paths with fewer lanes. If the paths meet at the same op
// as the path that forks (for example a loop's exit), no new meeting place is pushed.
Op const* diverge(Warp& w, Op const* join, std::span<Fork const> forks) {
  std::vector<Path>& paths = paths_of(w);
  Path const from = paths.back();
  if (join == nullptr || join == from.join) {
    paths.pop_back();
    join = from.join;
  } else {
    paths.back().pc = join;
  }
  for (Fork const& fork : forks)
    if (fork.target != join) paths.push_back({fork.target, join, from.frame, fork.lanes});
  enter_top(w);
  return paths.back().pc;
}

Op const* pause(Warp& w, Op const* next) {
  paths_of(w).back().pc = next;
  w.stop = Stop::pause;
  return nullptr;
}

Op const* exit_lanes(Warp& w, std::uint32_t lanes, Op const* next) {
  std::vector<Path>& paths = paths_of(w);
  w.dead |= lanes;
  w.block->live -= static_cast<std::uint32_t>(std::popcount(lanes));
  paths.back().pc = next;
  for (Path& path : paths)
    path.mask &= ~lanes;
  for (Frame* frame = w.frame; frame != nullptr;) {
    Frame* const caller = frame->caller;
    frame->lanes &= ~lanes;
    if (frame->lanes == 0 && caller != nullptr) release_frame(w, frame);
    frame = caller;
  }
  drop_empty(paths);
  if (paths.empty()) {
    w.splits.erase(w.splits.begin() + w.current);
    w.stop = Stop::done;
    return nullptr;
  }
  enter_top(w);
  return paths.back().pc;
}

Op const* return_lanes(Warp& w, std::uint32_t lanes, Op const* next) {
  std::vector<Path>& paths = paths_of(w);
  Frame* const frame = w.frame;
  paths.back().pc = next;
  for (auto path = paths.rbegin(); path != paths.rend() && path->frame == frame; ++path)
    path->mask &= ~lanes;
  frame->lanes &= ~lanes;
  drop_empty(paths);
  if (frame->lanes == 0) release_frame(w, frame);
  enter_top(w);
  return paths.back().pc;
}

std::uint32_t split_warp(Warp& w, std::uint32_t lanes) {
  Split other;
  for (Path path : paths_of(w)) {
    path.mask &= lanes;
    if (path.mask != 0) other.paths.push_back(path);
  }
  for (Path& path : paths_of(w))
    path.mask &= ~lanes;
  std::erase_if(paths_of(w), [](Path const& path) { return path.mask == 0; });
  w.splits.push_back(std::move(other));
  return static_cast<std::uint32_t>(w.splits.size() - 1);
}

static bool same_place(Split const& a, Split const& b) {
  return a.state == b.state && a.waits_at == b.waits_at && a.members == b.members &&
         std::equal(a.paths.begin(), a.paths.end(), b.paths.begin(), b.paths.end(),
                    [](Path const& x, Path const& y) {
                      return x.pc == y.pc && x.join == y.join && x.frame == y.frame;
                    });
}

void reconverge(Warp& w) {
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    for (std::size_t j = i + 1; j < w.splits.size();) {
      Split& to = w.splits[i];
      Split const& from = w.splits[j];
      if (!same_place(to, from)) {
        ++j;
        continue;
      }
      for (std::size_t k = 0; k < to.paths.size(); ++k)
        to.paths[k].mask |= from.paths[k].mask;
      to.waiting |= from.waiting;
      w.splits.erase(w.splits.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

static void fill_constants(Frame& frame) {
  for (Constant const& c : frame.code->constants) {
    std::byte* const at = frame.registers + c.offset;
    if (c.bytes == 0) {
      std::uint32_t const mask = c.bits != 0 ? all_lanes : 0;
      std::memcpy(at, &mask, sizeof mask);
      continue;
    }
    for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane)
      std::memcpy(at + lane * c.bytes, &c.bits, c.bytes);
  }
}

Frame* make_frame(Warp& w, FunctionCode const& code) {
  auto frame = std::make_unique<Frame>();
  std::size_t const bytes = (std::size_t{code.frame_bytes} + 127) / 64 * 64;
  frame->registers = static_cast<std::byte*>(std::aligned_alloc(64, bytes));
  if (frame->registers == nullptr) return nullptr;
  std::memset(frame->registers, 0, bytes);
  frame->code = &code;
  fill_constants(*frame);
  w.frames.push_back(frame.get());
  return w.block->frames.emplace_back(std::move(frame)).get();
}

Frame* new_frame(Warp& w, Op const& call, FunctionCode const& callee, std::uint32_t lanes) {
  auto const lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  LaunchState& launch = *w.block->launch;
  std::uint32_t const base = (w.frame->local_base + w.frame->code->local_bytes + 15) / 16 * 16;
  if (w.frame->depth >= max_call_depth || base > w.block->local_bytes ||
      callee.local_bytes > w.block->local_bytes - base) {
    raise(w, call, lane, device::Status::launch_failed,
          fmt::format(
              "stack overflow calling '{}' at depth {}; raise cudaLimitStackSize or bound the recursion",
              callee.name, w.frame->depth));
    return nullptr;
  }
  auto& spare = w.spare[callee.index];
  if (spare.empty()) {
    launch.frame_bytes += callee.frame_bytes;
    Frame* const made = launch.frame_bytes <= max_frames_bytes ? make_frame(w, callee) : nullptr;
    if (made == nullptr) {
      raise(
          w, call, lane, device::Status::launch_failed,
          fmt::format("out of memory for the frames of '{}' at call depth {}", callee.name, w.frame->depth));
      return nullptr;
    }
    spare.push_back(made);
  }
  Frame* const frame = spare.back();
  spare.pop_back();
  frame->caller = w.frame;
  frame->call = &call;
  frame->local_base = base;
  frame->lanes = lanes;
  frame->depth = w.frame->depth + 1;
  return frame;
}

void release_frame(Warp& w, Frame* frame) { w.spare[frame->code->index].push_back(frame); }

} // namespace pegasus::software
