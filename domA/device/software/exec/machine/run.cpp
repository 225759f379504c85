// SPDX-License-Identifier: Apache-2.0
// A launch: checks the arguments, then runs the blocks of the grid in order. It can be interrupted between
// blocks, never within one: no GPU promises more.
#include "domA/device/software/exec/machine/launch.h"

#include "domA/device/software/exec/machine/launch_check.h"
#include "domA/device/software/exec/machine/launch_state.h"
#include "domA/device/software/exec/machine/residents.h"

#include <cfenv>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace pegasus::software {

std::string told_of(Warp const& w, Op const& op, std::uint32_t lane, std::string const& what) {
  auto const& block = w.block->index;
  auto const thread = thread_index(w, lane);
  return fmt::format("kernel '{}', block [{},{},{}], thread [{},{},{}], PTX line {}: {}",
                     w.block->launch->kernel->name, block[0], block[1], block[2], thread[0], thread[1],
                     thread[2], op.line, what);
}

Op const* raise(Warp& w, Op const& op, std::uint32_t lane, device::Status status, std::string const& what) {
  Outcome& outcome = w.block->launch->outcome;
  outcome.status = status;
  outcome.diagnostic = told_of(w, op, lane, what);
  w.stop = Stop::fault;
  return nullptr;
}

namespace {

// The memory that %envreg1 and %envreg2 point to in a cooperative launch: its size and a counter for
// grid-wide barriers (cooperative_groups/details/driver_abi.h of the CUDA toolkit).
class GridWorkspace {
public:
  explicit GridWorkspace(LaunchState& state) : memory_(*state.memory) {
    if (!state.launch->cooperative) return;
    address_ = state.grid_workspace = memory_.allocate(grid_workspace_bytes);
    if (address_ != 0)
      std::memcpy(memory_.resolve(address_, sizeof bytes), &bytes, sizeof bytes);
    else
      state.outcome = refusal(*state.kernel, device::Status::out_of_memory,
                              "the device has no memory for the barrier of a cooperative launch");
  }
  ~GridWorkspace() {
    if (address_ != 0) static_cast<void>(memory_.free(address_));
  }
  GridWorkspace(GridWorkspace const&) = delete;
  GridWorkspace& operator=(GridWorkspace const&) = delete;

private:
  static constexpr std::uint32_t bytes = grid_workspace_bytes;

  Memory& memory_;
  Address address_ = 0;
};

// Saves the caller's rounding mode and flush-to-zero, and resets them for the launch.
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
        Textures const& textures, Limits const& bounds)
      : limits(bounds), launch(with) {
    grid.outcome = check(kernel, with, bounds);
    grid.kernel = &kernel;
    grid.launch = &launch;
    grid.memory = &memory;
    grid.heap = &heap;
    grid.textures = &textures;
    grid.limits = &limits;
    grid.text = &text;
    grid.parameters.assign(with.parameters.begin(), with.parameters.end());
    grid.parameters.resize(grid.parameters.size() + 64); // padding for wide reads of the last parameter
  }

  Limits limits;
  device::Launch launch;
  std::string text;
  LaunchState grid;
  std::optional<GridWorkspace> workspace; // from its start
  std::optional<Residents> residents;
};

Run::Run(Kernel const& kernel, device::Launch const& launch, Memory& memory, DeviceHeap& heap,
         Textures const& textures, Limits const& limits)
    : state_(std::make_unique<State>(kernel, launch, memory, heap, textures, limits)) {}

Run::~Run() = default;

bool Run::go_on(device::TimeSlice const& slice) {
  if (!state_->residents && state_->grid.outcome.status == device::Status::success) {
    state_->workspace.emplace(state_->grid);
    state_->residents.emplace(state_->grid);
  }
  if (state_->grid.outcome.status != device::Status::success) return true;
  HostFloat const host_float;
  bool const done = state_->residents->run(slice);
  if (done) state_->workspace.reset();
  return done;
}

Outcome const& Run::outcome() const { return state_->grid.outcome; }
std::string const& Run::text() const { return state_->text; }

} // namespace pegasus::software
