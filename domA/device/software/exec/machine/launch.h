// SPDX-License-Identifier: Apache-2.0
// One launch of a kernel: starts it, continues it and ends it.
#pragma once

#include "domA/device/device.h"
#include "domA/device/software/exec/device_limits.h"
#include "domA/device/software/exec/kernel.h"
#include "domA/device/software/exec/memory/heap.h"
#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/software/exec/texture/textures.h"

#include <cstdint>
#include <memory>
#include <string>

namespace pegasus::software {

struct Limits {
  std::uint64_t malloc_heap_bytes = 8u << 20;
  std::uint64_t printf_bytes = 1u << 20;
  std::uint64_t stack_bytes = 1024; // minimum per thread; a kernel's own need is added
  // Backward branches of a block that runs alone before others get a time slice. The limit is high, because
  // the block may not be waiting for them.
  std::int64_t branches_alone = 1 << 20;
  // Accesses up to 128 bytes behind an allocation read zeros and write nothing. On a GPU most of them harm nothing.
  bool forgives_gaps = false;
  DeviceLimits device = device_limits.front();
};

// Device memory that a cooperative launch uses while it runs, for the barrier of its grid.
inline constexpr std::uint64_t grid_workspace_bytes = 256;

struct Outcome {
  device::Status status = device::Status::success;
  std::string diagnostic = {}; // on a fault: kernel, block, thread, PTX line, what, address
  std::string forgiven = {};   // the same of the first access behind an allocation
};

// One launch, on the calling thread. The constructor's arguments must outlive it; the parameters are copied.
class Run {
public:
  Run(Kernel const&, device::Launch const&, Memory&, DeviceHeap&, Textures const&, Limits const&);
  ~Run();

  // Runs the blocks in order. Returns false if the time slice was over before the last block and no block is
  // partly executed; call it again later.
  [[nodiscard]] bool go_on(device::TimeSlice const&);
  // After the end of the launch.
  [[nodiscard]] Outcome const& outcome() const;
  [[nodiscard]] std::string const& text() const; // of printf, at most limits.printf_bytes (oldest kept)

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace pegasus::software
