// SPDX-License-Identifier: Apache-2.0
// One launch of a kernel: where it begins, goes on and ends.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/exec/kernel.h"
#include "domA/device/software/exec/memory/heap.h"
#include "domA/device/software/exec/memory/memory.h"

#include <cstdint>
#include <memory>
#include <string>

namespace pegasus::software {

struct Limits {
  std::uint64_t malloc_heap_bytes = 8u << 20;
  std::uint64_t printf_bytes = 1u << 20;
  std::uint64_t stack_bytes = 1024; // per thread, at least; a kernel's own need comes on top
  // Backward branches of a block that runs alone before others get a turn: late, for it may not be waiting
  // for them.
  std::int64_t branches_alone = 1 << 20;
};

// Device memory that a cooperative launch takes while it runs, for the barrier of its grid.
inline constexpr std::uint64_t grid_workspace_bytes = 256;

struct Outcome {
  device::Status status = device::Status::success;
  std::string diagnostic; // on a fault: kernel, block, thread, PTX line, what, address
};

// One launch, on the calling thread. What it is made of must outlive it; the parameters are copied.
class Run {
public:
  Run(Kernel const&, device::Launch const&, Memory&, DeviceHeap&, Limits const&);
  ~Run();

  // Runs the blocks in order. false: the turn was over before the last block and none is half done; go on
  // later.
  [[nodiscard]] bool go_on(device::Turn const&);
  // When it is done.
  [[nodiscard]] Outcome const& outcome() const;
  [[nodiscard]] std::string const& text() const; // of printf, at most limits.printf_bytes (oldest kept)

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pegasus::software
