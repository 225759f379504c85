// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/transfers.h"

#include "domA/device/cuda/stream.h"

namespace pegasus::cuda {
namespace {

bool empty(device::Rect const& rect) { return rect.row_bytes == 0 || rect.rows == 0; }

// Rows on the device, packed on the host.
CUDA_MEMCPY2D rows_of(device::Rect const& rect) {
  CUDA_MEMCPY2D copy{};
  copy.WidthInBytes = rect.row_bytes;
  copy.Height = rect.rows;
  return copy;
}

} // namespace

Transfers::Transfers(Driver const& driver, WorkQueue& queue, memory::Ranges const& ranges, TaskState& state)
    : driver_(driver), queue_(queue), ranges_(ranges), state_(state), reads_(driver), scrubber_(driver) {}

device::Status Transfers::resume(device::TimeSlice const& time_slice) {
  CUresult const result = waiting_(time_slice);
  if (result != CUDA_ERROR_NOT_READY) waiting_ = nullptr;
  return state_.answer(result);
}

CUresult Transfers::scrub(CUdeviceptr address, std::uint64_t bytes) {
  return scrub(fills_, bytes, [&] { return scrubber_.scrub(address, bytes); });
}

CUresult Transfers::scrub_array(std::uint64_t bytes, std::function<CUresult(CUstream)> const& zero) {
  return scrub(copies_, bytes, [&] { return scrubber_.scrub(zero); });
}

// Allocating is not interrupted: what it waits for must end before the worker can report that it waits.
CUresult Transfers::scrub(std::shared_ptr<KernelTime> const& time, std::uint64_t bytes,
                          std::function<CUresult()> const& submit) {
  std::uint64_t const kilobytes = in_kilobytes(bytes);
  CUstream const stream = scrubber_.stream();
  (void)queue_.wait_for_room(stream, *time, kilobytes, nullptr);
  queue_.begin(stream, *time, kilobytes);
  CUresult const result = submit();
  queue_.end(time, kilobytes);
  return result;
}

device::Status Transfers::to_device(device::Stream* stream, device::Rect const& target,
                                    std::span<std::byte const> source) {
  if (empty(target)) return Status::success;
  if (arrays_.at(target.address)) return to_array(handle_of(stream), target, source);
  if (!ranges_.contain(target) || target.row_bytes * target.rows != source.size())
    return Status::invalid_value;
  CUresult result = scrubber_.order(handle_of(stream));
  if (result != CUDA_SUCCESS) return state_.answer(submitted(result));
  if (target.rows == 1) {
    result = driver_.cuMemcpyHtoDAsync(target.address, source.data(), source.size(), handle_of(stream));
  } else {
    CUDA_MEMCPY2D copy = rows_of(target);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = source.data();
    copy.srcPitch = target.row_bytes;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = target.address;
    copy.dstPitch = target.pitch;
    result = driver_.cuMemcpy2DAsync(&copy, handle_of(stream));
  }
  if (result == CUDA_SUCCESS) result = reads_.add(handle_of(stream));
  return state_.answer(submitted(result));
}

device::HostReads Transfers::host_reads() {
  (void)state_.answer(reads_.collect());
  return reads_.counts();
}

void Transfers::finish_host_reads() { (void)state_.answer(reads_.finish()); }

device::Status Transfers::from_device(device::Stream* stream, std::span<std::byte> target,
                                      device::Rect const& source) {
  if (empty(source)) return Status::success;
  if (arrays_.at(source.address)) return from_array(handle_of(stream), target, source);
  if (!ranges_.contain(source) || source.row_bytes * source.rows != target.size())
    return Status::invalid_value;
  CUresult result = scrubber_.order(handle_of(stream));
  if (result != CUDA_SUCCESS) return state_.answer(result);
  if (source.rows == 1) {
    result = driver_.cuMemcpyDtoHAsync(target.data(), source.address, target.size(), handle_of(stream));
  } else {
    CUDA_MEMCPY2D copy = rows_of(source);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = source.address;
    copy.srcPitch = source.pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = target.data();
    copy.dstPitch = source.row_bytes;
    result = driver_.cuMemcpy2DAsync(&copy, handle_of(stream));
  }
  if (result == CUDA_SUCCESS) result = driver_.cuStreamSynchronize(handle_of(stream));
  return state_.synchronized(result);
}

device::Status Transfers::within_device(device::Stream* stream, device::Rect const& target,
                                        device::Address source, std::uint64_t source_pitch) {
  if (empty(target)) return Status::success;
  if (arrays_.at(target.address) || arrays_.at(source))
    return with_arrays(handle_of(stream), target, {source, source_pitch, target.row_bytes, target.rows});
  if (!ranges_.contain(target) || !ranges_.contain({source, source_pitch, target.row_bytes, target.rows}))
    return Status::invalid_value;
  CUstream const on = handle_of(stream);
  return state_.answer(run_or_wait(on, copies_, target.row_bytes * target.rows, [=, this] {
    if (target.rows == 1) return driver_.cuMemcpyDtoDAsync(target.address, source, target.row_bytes, on);
    CUDA_MEMCPY2D copy = rows_of(target);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = source;
    copy.srcPitch = source_pitch;
    copy.dstDevice = target.address;
    copy.dstPitch = target.pitch;
    return driver_.cuMemcpy2DAsync(&copy, on);
  }));
}

device::Status Transfers::fill(device::Stream* stream, device::Rect const& target, std::uint32_t value,
                               std::uint32_t element_bytes) {
  if (empty(target)) return Status::success;
  if (!ranges_.contain(target)) return Status::invalid_value;
  std::size_t const width = target.row_bytes / element_bytes;
  CUstream const on = handle_of(stream);
  return state_.answer(run_or_wait(on, fills_, target.row_bytes * target.rows, [=, this] {
    bool const flat = target.rows == 1;
    switch (element_bytes) {
    case 1:
      return flat ? driver_.cuMemsetD8Async(target.address, static_cast<unsigned char>(value), width, on)
                  : driver_.cuMemsetD2D8Async(target.address, target.pitch, static_cast<unsigned char>(value),
                                              width, target.rows, on);
    case 2:
      return flat ? driver_.cuMemsetD16Async(target.address, static_cast<unsigned short>(value), width, on)
                  : driver_.cuMemsetD2D16Async(target.address, target.pitch,
                                               static_cast<unsigned short>(value), width, target.rows, on);
    default:
      return flat ? driver_.cuMemsetD32Async(target.address, value, width, on)
                  : driver_.cuMemsetD2D32Async(target.address, target.pitch, value, width, target.rows, on);
    }
  }));
}

} // namespace pegasus::cuda
