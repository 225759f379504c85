// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/launch.h"

#include "domA/device/cuda/launch_config.h"
#include "domA/device/slicing/slice.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pegasus::cuda {
namespace {

std::uint64_t count(device::Dim3 const& size) { return std::uint64_t{size[0]} * size[1] * size[2]; }

// The blocks of a cluster belong together, and their places in the grid are not those of their piece.
bool in_clusters(device::Launch const& launch, device::FunctionInfo const& function) {
  return count(launch.attributes.cluster.value_or(device::Dim3{1, 1, 1})) > 1 ||
         function.cluster_must_be_set ||
         std::ranges::any_of(function.required_cluster, [](auto blocks) { return blocks > 1; });
}

} // namespace

PendingLaunch::PendingLaunch(Driver const& driver, WorkQueue& queue, Scrubber& scrubber, CUstream stream,
                             CudaFunction& function, device::Launch const& launch, device::Nanos slice)
    : driver_(driver), queue_(queue), scrubber_(scrubber), stream_(stream), function_(function),
      time_(function.time()), launch_(launch),
      parameters_(launch.parameters.begin(), launch.parameters.end()), slice_(slice),
      blocks_(count(launch.grid)),
      may_split_(slice > device::Nanos{0} && !launch.cooperative && !in_clusters(launch, function.info())) {}

// Only a launch of this size that ran whole proves that the kernel is long: a smaller grid's time says little
// of a larger one's. Compiling takes time, so it is not done while nobody else would gain; a kernel that has been
// compiled is split also then, because another domain may come back.
//
// A piece is at least as large as the number of blocks that fit on the device at once: such blocks may wait
// for each other, as hand-made barriers do, and a smaller piece would leave the device half empty.
bool PendingLaunch::is_to_be_split(device::TimeSlice const& time_slice) {
  if (!time_->measured(blocks_) || time_->expected(blocks_) <= longest_) return false;
  bool const others_wait = time_slice.ends_at() != device::Nanos::max() || time_slice.pieces().any();
  if (!others_wait && !function_.is_sliced()) return false;
  wave_ = std::max<std::uint64_t>(
      1, function_.resident(static_cast<std::uint32_t>(count(launch_.block)), launch_.dynamic_shared_bytes));
  return piece() < blocks_;
}

void PendingLaunch::compile() {
  compiles_ = false;
  (void)function_.sliced();
}

void PendingLaunch::split() {
  SlicedKernel const* const sliced = function_.sliced();
  if (sliced == nullptr) return;
  std::uint64_t const first = piece();
  piece_function_ = sliced->function;
  piece_offset_ = sliced->parameter_offset;
  parameters_.resize(piece_offset_ + sizeof(slicing::Piece));
  pieces_.emplace(launch_.grid, first);
  launch_.attributes.programmatic = false; // a piece is not the launch that others depend on
  function_.tell_split(blocks_, first);
}

void PendingLaunch::set_longest(device::TimeSlice const& time_slice) {
  longest_ = std::min(slice_, time_slice.pieces().at(queue_.now()));
}

std::uint64_t PendingLaunch::piece() const { return piece_blocks(*time_, blocks_, wave_, longest_); }

CUresult PendingLaunch::go_on(device::TimeSlice const& time_slice) {
  for (;;) {
    set_longest(time_slice);
    std::uint64_t const next = pieces_ ? std::min(piece(), blocks_) : blocks_;
    if (!queue_.wait_for_room(stream_, *time_, next, &time_slice)) return CUDA_ERROR_NOT_READY;
    // Not sooner: the queue accepts one launch of an unknown kernel, so that its time is known now.
    set_longest(time_slice); // it may have waited
    if (may_split_ && is_to_be_split(time_slice)) {
      compiles_ = !function_.slicing_tried();
      if (compiles_) return CUDA_ERROR_NOT_READY;
      split();
    }
    may_split_ = false;
    if (!pieces_) return submit(function_.handle(), launch_.grid, time_, blocks_);
    pieces_->set_blocks_per_piece(piece());
    std::optional<slicing::Box> const part = pieces_->next();
    if (!part) return CUDA_SUCCESS;
    slicing::Piece const piece{part->offset, launch_.grid};
    std::memcpy(parameters_.data() + piece_offset_, &piece, sizeof piece);
    if (CUresult const result = submit(piece_function_, part->size, time_, count(part->size));
        result != CUDA_SUCCESS)
      return result;
    if (time_slice.over()) return CUDA_ERROR_NOT_READY;
  }
}

CUresult PendingLaunch::submit(CUfunction function, device::Dim3 const& grid,
                               std::shared_ptr<KernelTime> const& time, std::uint64_t blocks) {
  if (CUresult const ordered = scrubber_.order(stream_); ordered != CUDA_SUCCESS) return submitted(ordered);
  LaunchConfig const config(launch_, grid, stream_);
  std::size_t bytes = parameters_.size();
  void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, parameters_.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                    CU_LAUNCH_PARAM_END};
  // With local memory the driver may wait for the device in a launch.
  queue_.begin(stream_, *time, blocks, !pieces_ && function_.info().local_bytes == 0);
  CUresult const result = submitted(driver_.cuLaunchKernelEx(config.get(), function, nullptr, packed));
  queue_.end(time, blocks);
  return result;
}

} // namespace pegasus::cuda
