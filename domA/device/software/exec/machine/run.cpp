// SPDX-License-Identifier: Apache-2.0
// A launch: checks the arguments, then runs the blocks of the grid in order. Blocks are usually run one after
// the other; a block that runs long while others have not started may be waiting for them, so it then shares
// the time with some. A launch can be interrupted between blocks, never within one: no GPU promises more.
#include "domA/device/software/exec/machine/launch.h"

#include "domA/device/software/exec/machine/launch_state.h"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace pegasus::software {

Op const* raise(Warp& w, Op const& op, std::uint32_t lane, device::Status status, std::string const& what) {
  LaunchState& launch = *w.block->launch;
  auto const& block = w.block->index;
  auto const thread = thread_index(w, lane);
  launch.outcome.status = status;
  launch.outcome.diagnostic =
      fmt::format("kernel '{}', block [{},{},{}], thread [{},{},{}], PTX line {}: {}", launch.kernel->name,
                  block[0], block[1], block[2], thread[0], thread[1], thread[2], op.line, what);
  w.stop = Stop::fault;
  return nullptr;
}

namespace {

// Enough for a barrier of a whole grid of the usual size, bounded by the memory that resident blocks take.
constexpr std::size_t max_resident = 256;
constexpr std::uint64_t max_resident_bytes = std::uint64_t{256} << 20;
// Backward branches of a block before the others get a turn when it may be waiting for them. While it is
// alone: Limits::branches_alone.
constexpr std::int64_t budget_shared = 1 << 13;
// Rounds in which, the turn being over, nothing new begins so that what runs may end.
constexpr unsigned passes_when_over = 1024;
constexpr std::uint64_t max_local_bytes = std::uint64_t{1} << 30; // of one block

Outcome refuse(Kernel const& kernel, device::Status status, std::string const& what) {
  return {status, fmt::format("kernel '{}': {}", kernel.name, what)};
}

Outcome check_shape(Kernel const& kernel, device::Launch const& launch) {
  using device::Status;
  auto const& grid = launch.grid;
  auto const& block = launch.block;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || block[0] == 0 || block[1] == 0 || block[2] == 0)
    return refuse(kernel, Status::invalid_value, "a dimension of the grid or the block is zero");
  if (grid[0] > 0x7fffffff || grid[1] > 65535 || grid[2] > 65535)
    return refuse(kernel, Status::invalid_value, "the grid is larger than 2147483647 x 65535 x 65535");
  if (block[0] > 1024 || block[1] > 1024 || block[2] > 64)
    return refuse(kernel, Status::invalid_value, "the block is larger than 1024 x 1024 x 64");
  std::uint32_t const threads = block[0] * block[1] * block[2];
  if (threads > kernel.info.max_threads_per_block)
    return refuse(
        kernel, Status::invalid_value,
        fmt::format("{} threads in a block; at most {} may be", threads, kernel.info.max_threads_per_block));
  std::uint32_t const* const required = kernel.required_threads;
  if (required[0] != 0 && (block[0] != required[0] || block[1] != required[1] || block[2] != required[2]))
    return refuse(
        kernel, Status::invalid_value,
        fmt::format("the block must be {} x {} x {} (.reqntid)", required[0], required[1], required[2]));
  return {};
}

Outcome check(Kernel const& kernel, device::Launch const& launch, Limits const& limits) {
  using device::Status;
  Outcome outcome = check_shape(kernel, launch);
  if (outcome.status != Status::success) return outcome;
  constexpr std::uint32_t shared_limit = 64 * 1024; // compute capability 7.5, with the opt-in
  if (launch.dynamic_shared_bytes > shared_limit ||
      kernel.static_shared_bytes + launch.dynamic_shared_bytes > shared_limit)
    return refuse(kernel, Status::invalid_value,
                  fmt::format("{} + {} bytes of shared memory; at most {} may be", kernel.static_shared_bytes,
                              launch.dynamic_shared_bytes, shared_limit));
  if (launch.parameters.size() != kernel.info.parameter_bytes)
    return refuse(kernel, Status::invalid_value,
                  fmt::format("{} bytes of parameters; it takes {}", launch.parameters.size(),
                              kernel.info.parameter_bytes));
  std::uint64_t const threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  std::uint64_t const local = kernel.local_bytes + (kernel.unbounded_stack ? limits.stack_bytes : 0);
  if (local > max_local_bytes / ((threads + 31) / 32 * 32))
    return refuse(kernel, Status::launch_out_of_resources,
                  fmt::format("{} bytes of local memory for each of {} threads", local, threads));
  return {};
}

std::uint64_t resident_cost(Kernel const& kernel, Block const& block) {
  return (std::uint64_t{kernel.functions.front()->frame_bytes} + block.local_bytes * lanes_per_warp) *
             block.warps.size() +
         block.shared_bytes;
}

// The blocks that have started and not ended, and the idle ones to start again.
class Residents {
public:
  explicit Residents(LaunchState& state)
      : state_(state),
        blocks_(std::uint64_t{state.launch->grid[0]} * state.launch->grid[1] * state.launch->grid[2]) {}

  // Runs the grid to its end or to the first fault. false: the turn was over and no block is half done.
  bool run(device::Turn const& turn);

private:
  bool admit();
  // A cooperative launch's blocks must all be resident: they wait for each other (cuLaunchCooperativeKernel).
  bool admit_all();
  bool has_room() const {
    return running_.empty() ||
           (running_.size() < max_resident && (running_.size() + 1) * cost_ <= max_resident_bytes);
  }
  bool run_residents(); // each for a while; false: a fault

  LaunchState& state_;
  std::uint64_t blocks_;
  std::uint64_t next_ = 0;
  std::vector<std::unique_ptr<Block>> running_, idle_;
  std::uint64_t cost_ = 0;
};

bool Residents::admit() {
  if (idle_.empty()) {
    idle_.push_back(std::make_unique<Block>());
    if (!prepare_block(*idle_.back(), state_)) {
      state_.outcome = refuse(*state_.kernel, device::Status::launch_out_of_resources,
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

bool Residents::admit_all() {
  while (next_ < blocks_) {
    if (!has_room()) {
      state_.outcome =
          refuse(*state_.kernel, device::Status::launch_out_of_resources,
                 fmt::format("a cooperative launch of {} blocks; {} can be resident", blocks_, next_));
      return false;
    }
    if (!admit()) return false;
  }
  return true;
}

bool Residents::run_residents() {
  std::int64_t const budget = running_.size() == 1 ? state_.limits->branches_alone : budget_shared;
  for (std::size_t i = 0; i < running_.size();) {
    switch (run_block(*running_[i], budget)) {
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

bool Residents::run(device::Turn const& turn) {
  if (state_.launch->cooperative && next_ == 0 && !admit_all()) return true;
  unsigned patience = passes_when_over;
  while (next_ < blocks_ || !running_.empty()) {
    bool const over = turn.over();
    if (over && running_.empty()) return false;
    // Blocks that do not end may be waiting for those that have not begun.
    bool const let_end = over && patience > 0;
    if (let_end) --patience;
    if (next_ < blocks_ && has_room() && !let_end && !admit()) return true;
    if (!run_residents()) return true;
  }
  return true;
}

// What %envreg1 and %envreg2 point to in a cooperative launch: its size and a counter that grid-wide barriers
// use (cooperative_groups/details/driver_abi.h of the CUDA toolkit).
class GridWorkspace {
public:
  explicit GridWorkspace(LaunchState& state) : memory_(*state.memory) {
    if (!state.launch->cooperative) return;
    address_ = state.grid_workspace = memory_.allocate(64);
    std::uint32_t const bytes = 64;
    if (address_ != 0) std::memcpy(memory_.resolve(address_, 4), &bytes, sizeof bytes);
  }
  ~GridWorkspace() {
    if (address_ != 0) static_cast<void>(memory_.free(address_));
  }
  GridWorkspace(GridWorkspace const&) = delete;
  GridWorkspace& operator=(GridWorkspace const&) = delete;

private:
  Memory& memory_;
  Address address_ = 0;
};

// The caller's rounding mode and flush-to-zero are put aside for the launch.
class HostFloat {
public:
  HostFloat() {
    feholdexcept(&saved_);
    fesetenv(FE_DFL_ENV);
  }
  ~HostFloat() { fesetenv(&saved_); }
  HostFloat(HostFloat const&) = delete;
  HostFloat& operator=(HostFloat const&) = delete;

private:
  std::fenv_t saved_{};
};

} // namespace

struct Run::State {
  State(Kernel const& kernel, device::Launch const& with, Memory& memory, DeviceHeap& heap,
        Limits const& bounds)
      : limits(bounds), launch(with) {
    grid.outcome = check(kernel, with, bounds);
    grid.kernel = &kernel;
    grid.launch = &launch;
    grid.memory = &memory;
    grid.heap = &heap;
    grid.limits = &limits;
    grid.text = &text;
    grid.parameters.assign(with.parameters.begin(), with.parameters.end());
    grid.parameters.resize(grid.parameters.size() + 64); // wide reads of the last parameter stay inside
  }

  Limits limits;
  device::Launch launch;
  std::string text;
  LaunchState grid;
  std::optional<GridWorkspace> workspace; // from when it begins to run
  std::optional<Residents> residents;
};

Run::Run(Kernel const& kernel, device::Launch const& launch, Memory& memory, DeviceHeap& heap,
         Limits const& limits)
    : state_(std::make_unique<State>(kernel, launch, memory, heap, limits)) {}

Run::~Run() = default;

bool Run::go_on(device::Turn const& turn) {
  if (state_->grid.outcome.status != device::Status::success) return true;
  if (!state_->residents) {
    state_->workspace.emplace(state_->grid);
    state_->residents.emplace(state_->grid);
  }
  HostFloat const host_float;
  return state_->residents->run(turn);
}

Outcome const& Run::outcome() const { return state_->grid.outcome; }
std::string const& Run::text() const { return state_->text; }

} // namespace pegasus::software
