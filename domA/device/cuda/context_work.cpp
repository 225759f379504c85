// SPDX-License-Identifier: Apache-2.0
// Copies, fills and launches. Copies between host and device are the copy engines' work, as on the software
// accelerator the worker's own; kernels, fills and copies within the device are its time.
#include "domA/device/cuda/context.h"

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

device::Status CudaContext::copy_to_device(device::Stream* stream, device::Rect const& target,
                                           std::span<const std::byte> source) {
  if (lost_ != Status::success) return lost_;
  if (empty(target)) return Status::success;
  if (!memory_.contain(target) || target.row_bytes * target.rows != source.size())
    return Status::invalid_value;
  CUresult result;
  if (target.rows == 1) {
    result = driver().cuMemcpyHtoDAsync(target.address, source.data(), source.size(), handle_of(stream));
  } else {
    CUDA_MEMCPY2D copy = rows_of(target);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = source.data();
    copy.srcPitch = target.row_bytes;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = target.address;
    copy.dstPitch = target.pitch;
    result = driver().cuMemcpy2DAsync(&copy, handle_of(stream));
  }
  if (result == CUDA_SUCCESS) result = reads_.add(handle_of(stream));
  return answer(result);
}

device::HostReads CudaContext::host_reads() {
  (void)answer(reads_.collect());
  return reads_.counts();
}

void CudaContext::finish_host_reads() { (void)answer(reads_.finish()); }

device::Status CudaContext::copy_from_device(device::Stream* stream, std::span<std::byte> target,
                                             device::Rect const& source) {
  if (lost_ != Status::success) return lost_;
  if (empty(source)) return Status::success;
  if (!memory_.contain(source) || source.row_bytes * source.rows != target.size())
    return Status::invalid_value;
  CUresult result;
  if (source.rows == 1) {
    result = driver().cuMemcpyDtoHAsync(target.data(), source.address, target.size(), handle_of(stream));
  } else {
    CUDA_MEMCPY2D copy = rows_of(source);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = source.address;
    copy.srcPitch = source.pitch;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = target.data();
    copy.dstPitch = source.row_bytes;
    result = driver().cuMemcpy2DAsync(&copy, handle_of(stream));
  }
  if (result == CUDA_SUCCESS) result = driver().cuStreamSynchronize(handle_of(stream));
  return synchronized(result);
}

device::Status CudaContext::copy_device(device::Stream* stream, device::Rect const& target,
                                        device::Address source, std::uint64_t source_pitch) {
  if (lost_ != Status::success) return lost_;
  if (empty(target)) return Status::success;
  if (!memory_.contain(target) || !memory_.contain({source, source_pitch, target.row_bytes, target.rows}))
    return Status::invalid_value;
  return answer(run(handle_of(stream), copies_, target.row_bytes * target.rows, [&] {
    if (target.rows == 1)
      return driver().cuMemcpyDtoDAsync(target.address, source, target.row_bytes, handle_of(stream));
    CUDA_MEMCPY2D copy = rows_of(target);
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = source;
    copy.srcPitch = source_pitch;
    copy.dstDevice = target.address;
    copy.dstPitch = target.pitch;
    return driver().cuMemcpy2DAsync(&copy, handle_of(stream));
  }));
}

device::Status CudaContext::fill(device::Stream* stream, device::Rect const& target, std::uint32_t value,
                                 std::uint32_t element_bytes) {
  if (lost_ != Status::success) return lost_;
  if (empty(target)) return Status::success;
  if (!memory_.contain(target)) return Status::invalid_value;
  std::size_t const width = target.row_bytes / element_bytes;
  CUstream const on = handle_of(stream);
  return answer(run(on, fills_, target.row_bytes * target.rows, [&] {
    bool const flat = target.rows == 1;
    switch (element_bytes) {
    case 1:
      return flat ? driver().cuMemsetD8Async(target.address, static_cast<unsigned char>(value), width, on)
                  : driver().cuMemsetD2D8Async(target.address, target.pitch,
                                               static_cast<unsigned char>(value), width, target.rows, on);
    case 2:
      return flat ? driver().cuMemsetD16Async(target.address, static_cast<unsigned short>(value), width, on)
                  : driver().cuMemsetD2D16Async(target.address, target.pitch,
                                                static_cast<unsigned short>(value), width, target.rows, on);
    default:
      return flat ? driver().cuMemsetD32Async(target.address, value, width, on)
                  : driver().cuMemsetD2D32Async(target.address, target.pitch, value, width, target.rows, on);
    }
  }));
}

device::Status CudaContext::launch(device::Stream* stream, device::Function& function,
                                   device::Launch const& launch, device::Turn const& turn) {
  if (lost_ != Status::success) return lost_;
  auto& kernel = static_cast<CudaFunction&>(function);
  if (launch.parameters.size() != kernel.info().parameter_bytes) return Status::invalid_value;
  launch_ =
      std::make_unique<PendingLaunch>(driver(), queue_, handle_of(stream), kernel, launch, options_.slice);
  return resume(turn);
}

device::Status CudaContext::resume(device::Turn const& turn) {
  if (launch_ == nullptr) return Status::illegal_state;
  CUresult const result = launch_->go_on(turn);
  if (result == CUDA_ERROR_NOT_READY) return Status::not_ready;
  launch_.reset();
  return answer(result);
}

} // namespace pegasus::cuda
