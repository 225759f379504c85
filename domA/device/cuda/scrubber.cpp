// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/scrubber.h"

#include <utility>

namespace pegasus::cuda {

Scrubber::Scrubber(Driver const& driver) : driver_(driver) {
  if (driver.cuStreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
    stream_ = CU_STREAM_LEGACY; // it then waits for the program's own work
  if (driver.cuEventCreate(&done_, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) done_ = nullptr;
}

void Scrubber::close() {
  if (done_ != nullptr) driver_.cuEventDestroy(std::exchange(done_, nullptr));
  pending_ = false;
}

CUresult Scrubber::scrub(CUdeviceptr address, std::uint64_t bytes) {
  return scrub([&](CUstream stream) { return driver_.cuMemsetD8Async(address, 0, bytes, stream); });
}

CUresult Scrubber::scrub(std::function<CUresult(CUstream)> const& zero) {
  CUresult const result = zero(stream_);
  if (result != CUDA_SUCCESS) return result;
  if (done_ != nullptr && driver_.cuEventRecord(done_, stream_) == CUDA_SUCCESS) {
    pending_ = true;
    waiting_.clear();
    return CUDA_SUCCESS;
  }
  CUresult const waited = driver_.cuStreamSynchronize(stream_);
  if (waited == CUDA_SUCCESS) pending_ = false;
  return waited;
}

CUresult Scrubber::finish() {
  CUresult const waited = pending_ ? driver_.cuEventSynchronize(done_) : CUDA_SUCCESS;
  if (waited == CUDA_SUCCESS) pending_ = false;
  return waited;
}

CUresult Scrubber::wait_on(CUstream stream) {
  if (waiting_.contains(stream)) return CUDA_SUCCESS;
  if (driver_.cuEventQuery(done_) == CUDA_SUCCESS) {
    pending_ = false;
    return CUDA_SUCCESS;
  }
  CUresult const result = driver_.cuStreamWaitEvent(stream, done_, 0);
  if (result == CUDA_SUCCESS) waiting_.insert(stream);
  return result;
}

} // namespace pegasus::cuda
