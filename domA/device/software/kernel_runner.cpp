// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/kernel_runner.h"

#include "domA/device/software/launch_check.h"
#include "domA/device/software/module.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

namespace pegasus::software {
namespace {

// Errors after which CUDA requires the process to be terminated (cuda.h, CUresult).
bool is_sticky(device::Status status) {
  using device::Status;
  switch (status) {
  case Status::illegal_address:
  case Status::launch_timeout:
  case Status::assert_failed:
  case Status::illegal_instruction:
  case Status::misaligned_address:
  case Status::invalid_address_space:
  case Status::invalid_pc:
  case Status::launch_failed:
    return true;
  default:
    return false;
  }
}

} // namespace

device::Status KernelRunner::launch(device::Function& function, device::Launch const& launch,
                                    device::TimeSlice const& slice) {
  auto* const own = dynamic_cast<SoftwareFunction*>(&function);
  if (own == nullptr || own->task() != &state_) return Status::invalid_handle;
  if (Status const status = check_launch(own->info(), launch, limits_.limits().device);
      status != Status::success)
    return status;
  if (Status const status = limits_.ready_heap(); status != Status::success) return status;
  // Charged during the launch; finish() charges what is in use then.
  if (launch.cooperative && !memory_.task.reserve(grid_workspace_bytes)) return Status::out_of_memory;

  Limits limits = limits_.limits(); // one byte more than there is room for, to detect a loss
  limits.printf_bytes -= std::min<std::uint64_t>(
      limits.printf_bytes, state_.output().pending_bytes(OutputBuffer::Kind::printf_text));
  ++limits.printf_bytes;
  run_ = std::make_unique<Run>(own->kernel(), launch, memory_.space, limits_.heap(), textures_, limits);
  return resume(slice);
}

device::Status KernelRunner::resume(device::TimeSlice const& slice) {
  if (run_ == nullptr) return Status::illegal_state;
  try {
    EngineHold const engine(engine_);
    if (!run_->go_on(slice)) return Status::not_ready;
  } catch (std::bad_alloc const&) { // the worker's own memory is limited too
    run_.reset();
    return finish({Status::launch_failed, "a kernel was stopped: the worker's memory limit is exhausted"},
                  {});
  }
  std::unique_ptr<Run> const done = std::move(run_);
  return finish(done->outcome(), done->text());
}

// Once for each kernel, up to a limit.
void KernelRunner::tell_of_gap(std::string const& forgiven) {
  constexpr std::size_t most_kernels = 64;
  if (forgiven.empty() || told_kernels_.size() == most_kernels) return;
  if (told_kernels_.insert(forgiven.substr(0, forgiven.find("', block ["))).second)
    state_.diagnose(forgiven +
                    "; it was allowed, reads zeros and writes nothing (pegasusd --software-bounds gap)");
}

// A fault is known already, but later calls return it; if the launch could not start, this call
// returns the error.
device::Status KernelRunner::finish(Outcome const& outcome, std::string_view printed) {
  state_.print(printed, limits_.limits().printf_bytes);
  if (!outcome.diagnostic.empty()) state_.diagnose(outcome.diagnostic);
  tell_of_gap(outcome.forgiven);
  if (is_sticky(outcome.status)) state_.lose(outcome.status);
  if (!memory_.task.charge_used()) { // the kernel's malloc cannot be undone
    state_.diagnose("a kernel's malloc took more than the domain's share of device memory");
    state_.lose(Status::launch_failed);
  }
  return state_.status() == Status::success ? outcome.status : Status::success;
}

} // namespace pegasus::software
