// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/machine/block.h"

#include "domA/device/software/exec/device_limits.h"
#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/machine/paths.h"
#include "domA/device/software/exec/machine/schedule.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace pegasus::software {

namespace {

std::uint32_t lanes_below(std::uint32_t n) { return n >= lanes_per_warp ? all_lanes : (1u << n) - 1; }

bool prepare_warp(Block& block, Warp& w, Kernel const& kernel, device::Dim3 const& size) {
  w.block = &block;
  w.seen = block.seen.data();
  w.local_bytes = block.local_bytes;
  w.spare.resize(kernel.functions.size());
  if (make_frame(w, *kernel.functions.front()) == nullptr) return false;
  if (block.local_bytes != 0)
    w.local = block.local_storage.get() + std::size_t{w.number} * lanes_per_warp * block.local_bytes;
  for (std::uint32_t lane = 0; lane < lanes_per_warp; ++lane) {
    std::uint32_t const linear = w.number * lanes_per_warp + lane;
    w.thread_ids[0][lane] = linear % size[0];
    w.thread_ids[1][lane] = linear / size[0] % size[1];
    w.thread_ids[2][lane] = linear / size[0] / size[1];
  }
  return true;
}

void start_warp(Warp& w, std::uint32_t threads) {
  std::uint32_t const lanes = lanes_below(threads - w.number * lanes_per_warp);
  Frame& frame = *w.frames.front();
  for (auto& spare : w.spare)
    spare.clear();
  for (Frame* const f : w.frames)
    if (f != &frame) w.spare[f->code->index].push_back(f);
  frame.lanes = lanes;
  w.dead = ~lanes;
  w.carry = 0;
  w.current = w.picks = 0;
  w.splits.resize(1);
  Split& split = w.splits.front();
  split.paths.clear();
  split.paths.push_back({frame.code->ops.data(), nullptr, &frame, lanes});
  split.state = Split::State::runnable;
  split.waits_at = nullptr;
  split.long_run = 0;
}

std::string where_all_wait(Block const& block) {
  std::string text;
  int listed = 0;
  for (Warp const& w : block.warps) {
    for (Split const& split : w.splits) {
      if (++listed > 8) return text + "; ...";
      bool const barrier = split.state == Split::State::at_barrier;
      text += fmt::format("{}warp {} lanes {:#x} wait at line {} for {}", listed > 1 ? "; " : "", w.number,
                          split.waiting, split.waits_at->line,
                          barrier ? fmt::format("barrier {}", split.barrier)
                                  : fmt::format("lanes {:#x} of their warp", split.members & ~w.dead));
    }
  }
  return text;
}

BlockEnd deadlock(Block& block) {
  for (Warp& w : block.warps) {
    if (w.splits.empty()) continue;
    Split const& split = w.splits.front();
    raise(w, *split.waits_at, static_cast<std::uint32_t>(std::countr_zero(split.waiting)),
          device::Status::launch_failed,
          fmt::format("deadlock: the {} live threads of the block wait for each other: {}", block.live,
                      where_all_wait(block)));
    break;
  }
  return BlockEnd::fault;
}

} // namespace

bool prepare_block(Block& block, LaunchState& launch) {
  Kernel const& kernel = *launch.kernel;
  device::Dim3 const& size = launch.launch->block;
  block.launch = &launch;
  block.threads = size[0] * size[1] * size[2];
  block.shared_bytes = kernel.uses_reserved_shared ? reserved_shared_at(launch) + reserved_shared_bytes
                                                   : own_shared_bytes(launch);
  block.shared_storage.resize(block.shared_bytes + 256);
  auto const raw = reinterpret_cast<std::uintptr_t>(block.shared_storage.data());
  block.shared = block.shared_storage.data() + (256 - raw % 256) % 256;
  block.seen.resize(kernel.memory_ops);
  std::uint32_t const warps = (block.threads + lanes_per_warp - 1) / lanes_per_warp;
  block.local_bytes = kernel.local_bytes;
  if (kernel.unbounded_stack)
    block.local_bytes += static_cast<std::uint32_t>(launch.limits->stack_bytes + 15) / 16 * 16;
  if (block.local_bytes != 0) {
    std::size_t const bytes = std::size_t{block.local_bytes} * lanes_per_warp * warps;
    block.local_storage.reset(static_cast<std::byte*>(std::calloc(bytes, 1)));
    if (block.local_storage == nullptr) return false;
  }
  block.warps.resize(warps);
  for (std::uint32_t i = 0; i < warps; ++i) {
    block.warps[i].number = i;
    if (!prepare_warp(block, block.warps[i], kernel, size)) return false;
  }
  return true;
}

void start_block(Block& block, std::uint64_t linear_index) {
  device::Dim3 const& grid = block.launch->launch->grid;
  block.index[0] = static_cast<std::uint32_t>(linear_index % grid[0]);
  block.index[1] = static_cast<std::uint32_t>(linear_index / grid[0] % grid[1]);
  block.index[2] = static_cast<std::uint32_t>(linear_index / grid[0] / grid[1]);
  block.live = block.threads;
  for (std::uint32_t rest = block.barriers_in_use; rest != 0; rest &= rest - 1)
    block.barriers[static_cast<std::size_t>(std::countr_zero(rest))] = Barrier{};
  block.barriers_in_use = 0;
  for (Warp& w : block.warps)
    start_warp(w, block.threads);
}

BlockEnd run_block(Block& block, std::int64_t budget) {
  block.budget = block.warp_budget = budget;
  while (block.live != 0) {
    bool ran = false;
    for (Warp& w : block.warps) {
      if (!runnable(w)) continue;
      ran = true;
      run_warp(w);
      if (w.stop == Stop::fault) return BlockEnd::fault;
      if (block.barriers_in_use != 0) release_barriers(block);
    }
    if (block.live == 0) break;
    if (!ran) return deadlock(block);
    if (block.budget <= 0) return BlockEnd::paused;
  }
  return BlockEnd::done;
}

} // namespace pegasus::software
