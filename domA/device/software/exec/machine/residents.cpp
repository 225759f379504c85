// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/machine/residents.h"

#include "domA/device/software/exec/device_limits.h"
#include "domA/device/software/exec/machine/launch_check.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::software {
namespace {

// More than promised: enough for a hand-made barrier of a whole grid of the usual size, limited by the memory
// of the resident blocks.
constexpr std::size_t max_resident = 256;
constexpr std::uint64_t max_resident_bytes = std::uint64_t{256} << 20;
// Backward branches of a block before the others get a time slice: if it may be waiting for them, and if it
// is sure to wait for them at times. While a block runs alone: Limits::branches_alone.
constexpr std::int64_t budget_shared = 1 << 13;
constexpr std::int64_t budget_cooperative = 1 << 8;
// After the time slice is over, no new blocks start for this many rounds, so that running blocks can end.
constexpr unsigned passes_when_over = 1024;

std::uint64_t count(device::Dim3 const& size) { return std::uint64_t{size[0]} * size[1] * size[2]; }

// The occupancy, unless the local memory of that many threads exceeds the maximum for a block.
std::uint64_t promised(LaunchState const& state) {
  std::uint64_t const threads = count(state.launch->block);
  std::uint64_t const local = local_bytes_of(*state.kernel, *state.limits) *
                              ((threads + lanes_per_warp - 1) / lanes_per_warp * lanes_per_warp);
  std::uint64_t const fit =
      resident_blocks(state.limits->device, threads,
                      std::uint64_t{state.kernel->static_shared_bytes} + state.launch->dynamic_shared_bytes);
  return local == 0 ? fit : std::min(fit, max_local_bytes / local);
}

std::uint64_t resident_cost(Kernel const& kernel, Block const& block) {
  return (std::uint64_t{kernel.functions.front()->frame_bytes} + block.local_bytes * lanes_per_warp) *
             block.warps.size() +
         block.shared_bytes;
}

} // namespace

Residents::Residents(LaunchState& state)
    : state_(state), blocks_(count(state.launch->grid)), promised_(promised(state)) {}

bool Residents::has_room() const {
  if (running_.empty() || running_.size() < promised_) return true;
  return running_.size() < max_resident && (running_.size() + 1) * cost_ <= max_resident_bytes;
}

std::int64_t Residents::budget() const {
  if (running_.size() == 1) return state_.limits->branches_alone;
  return state_.launch->cooperative ? budget_cooperative : budget_shared;
}

bool Residents::admit() {
  if (idle_.empty()) {
    idle_.push_back(std::make_unique<Block>());
    if (!prepare_block(*idle_.back(), state_)) {
      state_.outcome = refusal(*state_.kernel, device::Status::launch_out_of_resources,
                               "the host has no memory for the registers of a block");
      return false;
    }
    cost_ = resident_cost(*state_.kernel, *idle_.back());
  }
  start_block(*idle_.back(), next_++);
  running_.push_back(std::move(idle_.back()));
  idle_.pop_back();
  return true;
}

// The blocks of a cooperative launch wait for each other (cuLaunchCooperativeKernel).
bool Residents::admit_all() {
  while (next_ < blocks_) {
    if (!has_room()) {
      state_.outcome =
          refusal(*state_.kernel, device::Status::launch_out_of_resources,
                  fmt::format("a cooperative launch of {} blocks; {} can be resident", blocks_, next_));
      return false;
    }
    if (!admit()) return false;
  }
  return true;
}

bool Residents::run_all() {
  std::int64_t const branches = budget();
  for (std::size_t i = 0; i < running_.size();) {
    switch (run_block(*running_[i], branches)) {
    case BlockEnd::fault:
      return false;
    case BlockEnd::paused:
      ++i;
      break;
    case BlockEnd::done:
      idle_.push_back(std::move(running_[i]));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
  }
  return true;
}

bool Residents::run(device::TimeSlice const& slice) {
  unsigned patience = passes_when_over;
  while (next_ < blocks_ || !running_.empty()) {
    bool const over = slice.over();
    if (over && running_.empty()) return false;
    if (state_.launch->cooperative && next_ == 0 && !admit_all()) return true;
    // Blocks that do not end may be waiting for blocks that have not started.
    bool const let_end = over && patience > 0;
    if (let_end) --patience;
    if (next_ < blocks_ && has_room() && !let_end && !admit()) return true;
    if (!run_all()) return true;
  }
  return true;
}

} // namespace pegasus::software
