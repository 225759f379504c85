// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/launch.h"

#include "domA/device/slicing/slice.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace pegasus::cuda {
namespace {

// The device works meanwhile for a millisecond or so: looking now and then is soon enough.
void wait_a_little() {
  timespec const pause{0, 20'000};
  nanosleep(&pause, nullptr);
}

std::uint64_t count(device::Dim3 const& size) { return std::uint64_t{size[0]} * size[1] * size[2]; }

} // namespace

PendingLaunch::PendingLaunch(Driver const& driver, WorkQueue& queue, CUstream stream, CudaFunction& function,
                             device::Launch const& launch, device::Nanos slice)
    : driver_(driver), queue_(queue), stream_(stream), function_(function.handle()), time_(function.time()),
      launch_(launch), parameters_(launch.parameters.begin(), launch.parameters.end()),
      uses_local_memory_(function.info().local_bytes != 0) {
  if (slice > device::Nanos{0} && !launch.cooperative) split(function, slice);
}

// Pieces are at least what fits on the device at once: blocks that are there together may wait for each
// other, as hand-made barriers do, and a smaller piece would leave the device half empty.
void PendingLaunch::split(CudaFunction& function, device::Nanos slice) {
  std::uint64_t const blocks = count(launch_.grid);
  Nanos const expected = time_->expected(blocks);
  if (expected <= slice) return;
  auto const share = static_cast<double>(slice.count()) / static_cast<double>(expected.count());
  std::uint64_t const wave =
      function.resident(static_cast<std::uint32_t>(count(launch_.block)), launch_.dynamic_shared_bytes);
  std::uint64_t const piece =
      std::max<std::uint64_t>({1, wave, static_cast<std::uint64_t>(share * static_cast<double>(blocks))});
  if (piece >= blocks) return;
  SlicedKernel const* const sliced = function.sliced();
  if (sliced == nullptr) return;
  piece_function_ = sliced->function;
  piece_offset_ = sliced->parameter_offset;
  parameters_.resize(piece_offset_ + sizeof(slicing::Piece));
  cut_.emplace(launch_.grid, piece);
  function.tell_split(blocks, piece);
}

CUresult PendingLaunch::go_on(device::Turn const& turn) {
  for (;;) {
    while (queue_.full()) { // as far as we know; asking costs
      queue_.collect();
      if (!queue_.full()) break;
      if (turn.over()) return CUDA_ERROR_NOT_READY;
      wait_a_little();
    }
    if (!cut_) return submit(function_, launch_.grid, time_, count(launch_.grid));
    std::optional<slicing::Box> const part = cut_->next();
    if (!part) return CUDA_SUCCESS;
    slicing::Piece const piece{part->offset, launch_.grid};
    std::memcpy(parameters_.data() + piece_offset_, &piece, sizeof piece);
    if (CUresult const result = submit(piece_function_, part->size, time_, count(part->size));
        result != CUDA_SUCCESS)
      return result;
    if (turn.over()) return CUDA_ERROR_NOT_READY;
  }
}

CUresult PendingLaunch::submit(CUfunction function, device::Dim3 const& grid,
                               std::shared_ptr<KernelTime> const& time, std::uint64_t blocks) {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  CUlaunchConfig config{};
  config.gridDimX = grid[0];
  config.gridDimY = grid[1];
  config.gridDimZ = grid[2];
  config.blockDimX = launch_.block[0];
  config.blockDimY = launch_.block[1];
  config.blockDimZ = launch_.block[2];
  config.sharedMemBytes = launch_.dynamic_shared_bytes;
  config.hStream = stream_;
  config.attrs = &cooperative;
  config.numAttrs = launch_.cooperative ? 1 : 0;
  std::size_t bytes = parameters_.size();
  void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters_.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                    CU_LAUNCH_PARAM_END};
  queue_.begin(stream_, *time, blocks, !cut_ && !uses_local_memory_);
  CUresult const result = driver_.cuLaunchKernelEx(&config, function, nullptr, packed);
  queue_.end(time, blocks);
  return result;
}

} // namespace pegasus::cuda
