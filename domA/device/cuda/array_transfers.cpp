// SPDX-License-Identifier: Apache-2.0
// The copies of transfers.h to and from arrays: the driver copies boxes, of which there may be several for one rect.
#include "domA/device/cuda/transfers.h"

#include <utility>

namespace pegasus::cuda {
namespace {

// Packed rows of the host; nullopt: there are not as many bytes. They are written only as a target.
std::optional<CopyEnd> host_end(std::span<std::byte const> bytes, device::Rect const& rect) {
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(rect.row_bytes, rect.rows, &all) || all != bytes.size()) return std::nullopt;
  return CopyEnd{.in_level = {}, .host = const_cast<std::byte*>(bytes.data()), .pitch = rect.row_bytes};
}

} // namespace

std::optional<CopyEnd> Transfers::end_at(device::Rect const& rect) const {
  if (auto const in_level = arrays_.at(rect.address))
    return CopyEnd{.in_level = in_level, .pitch = rect.pitch};
  if (!ranges_.contain(rect)) return std::nullopt;
  return CopyEnd{.in_level = {}, .device = rect.address, .pitch = rect.pitch};
}

CUresult Transfers::submit(Copies const& copies, CUstream stream) const {
  CUresult result = CUDA_SUCCESS;
  for (std::size_t i = 0; i < copies.size() && result == CUDA_SUCCESS; ++i)
    result = driver_.cuMemcpy3DAsync(&copies[i], stream);
  return result;
}

// Where one of several copies fails, the device may still read for those before it.
device::Status Transfers::to_array(CUstream stream, device::Rect const& target,
                                   std::span<std::byte const> source) {
  auto const to = end_at(target), from = host_end(source, target);
  auto const copies = to && from ? array_copies(*to, *from, target.row_bytes, target.rows) : std::nullopt;
  if (!copies) return Status::invalid_value;
  if (CUresult const ordered = scrubber_.order(stream); ordered != CUDA_SUCCESS)
    return state_.answer(submitted(ordered));
  CUresult const result = submit(*copies, stream);
  CUresult const counted = reads_.add(stream);
  return state_.answer(submitted(result == CUDA_SUCCESS ? counted : result));
}

// As above: it may still write.
device::Status Transfers::from_array(CUstream stream, std::span<std::byte> target,
                                     device::Rect const& source) {
  auto const to = host_end(target, source), from = end_at(source);
  auto const copies = to && from ? array_copies(*to, *from, source.row_bytes, source.rows) : std::nullopt;
  if (!copies) return Status::invalid_value;
  if (CUresult const ordered = scrubber_.order(stream); ordered != CUDA_SUCCESS)
    return state_.answer(submitted(ordered));
  CUresult const result = submitted(submit(*copies, stream));
  CUresult const waited = driver_.cuStreamSynchronize(stream);
  return state_.synchronized(result == CUDA_SUCCESS ? waited : result);
}

device::Status Transfers::with_arrays(CUstream stream, device::Rect const& target,
                                      device::Rect const& source) {
  auto const to = end_at(target), from = end_at(source);
  auto copies = to && from ? array_copies(*to, *from, target.row_bytes, target.rows) : std::nullopt;
  if (!copies) return Status::invalid_value;
  return state_.answer(run_or_wait(stream, copies_, target.row_bytes * target.rows,
                                   [this, stream, all = std::move(*copies)] { return submit(all, stream); }));
}

} // namespace pegasus::cuda
