// SPDX-License-Identifier: Apache-2.0
// A launch in progress: whole, or in pieces if it would take longer than a slice (FairGV 3.3.2). It is whole
// until the kernel has proved to be long, and until another domain waits: nothing is rewritten and compiled
// for kernels that are short, nor for programs that are alone.
#pragma once

#include "domA/device/cuda/function.h"
#include "domA/device/cuda/scrubber.h"
#include "domA/device/cuda/work_queue.h"
#include "domA/device/slicing/grid_pieces.h"

#include <optional>
#include <vector>

namespace pegasus::cuda {

class PendingLaunch {
public:
  // `slice`: how long a piece should take; 0: the launch is not split. The parameters are copied; the function
  // must outlive this object.
  PendingLaunch(Driver const& driver, WorkQueue& queue, Scrubber& scrubber, CUstream stream,
                CudaFunction& function, device::Launch const& launch, device::Nanos slice);

  // Submits the rest, never more at a time than the queue accepts. CUDA_ERROR_NOT_READY: the time slice was
  // over first; call it again later.
  [[nodiscard]] CUresult go_on(device::TimeSlice const& time_slice);

  // The kernel must be compiled before go_on() goes on, which needs no device.
  [[nodiscard]] bool compiles() const { return compiles_; }
  void compile();

private:
  [[nodiscard]] bool is_to_be_split(device::TimeSlice const& time_slice);
  void split();
  void set_longest(device::TimeSlice const& time_slice);
  [[nodiscard]] std::uint64_t piece() const; // blocks
  [[nodiscard]] CUresult submit(CUfunction function, device::Dim3 const& grid,
                                std::shared_ptr<KernelTime> const& time, std::uint64_t blocks);

  Driver const& driver_;
  WorkQueue& queue_;
  Scrubber& scrubber_;
  CUstream stream_;
  CudaFunction& function_;
  std::shared_ptr<KernelTime> time_;
  device::Launch launch_;
  std::vector<std::byte> parameters_;
  device::Nanos slice_;
  device::Nanos longest_ = slice_; // that a piece takes: less than a slice while another domain is expected
  std::uint64_t blocks_;
  std::uint64_t wave_ = 0;                    // blocks that are on the device at once
  std::optional<slicing::GridPieces> pieces_; // of a launch that is split
  bool compiles_ = false;
  bool may_split_; // not decided yet
  CUfunction piece_function_ = nullptr;
  std::uint32_t piece_offset_ = 0; // in the parameters
};

} // namespace pegasus::cuda
