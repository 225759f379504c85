// SPDX-License-Identifier: Apache-2.0
#include "domA/device/cuda/host_reads.h"

namespace pegasus::cuda {

void HostReadQueue::close() {
  (void)finish();
  spare_.insert(spare_.end(), reading_.begin(), reading_.end()); // of a driver that did not wait
  reading_.clear();
  for (CUevent const event : spare_)
    driver_.cuEventDestroy(event);
  spare_.clear();
}

CUresult HostReadQueue::add(CUstream stream) {
  CUevent event = nullptr;
  if (!spare_.empty()) {
    event = spare_.back();
    spare_.pop_back();
  } else if (driver_.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
    return driver_.cuStreamSynchronize(stream);
  }
  if (driver_.cuEventRecord(event, stream) != CUDA_SUCCESS) {
    spare_.push_back(event);
    return driver_.cuStreamSynchronize(stream);
  }
  reading_.push_back(event);
  ++begun_;
  return CUDA_SUCCESS;
}

CUresult HostReadQueue::collect() { return take_while_done(driver_.cuEventQuery); }

CUresult HostReadQueue::finish() { return take_while_done(driver_.cuEventSynchronize); }

CUresult HostReadQueue::take_while_done(CUresult (*ask)(CUevent)) {
  CUresult result = CUDA_SUCCESS; // of the device: once it fails, every later query fails
  while (!reading_.empty()) {
    if (result == CUDA_SUCCESS) result = ask(reading_.front());
    if (result == CUDA_ERROR_NOT_READY) return CUDA_SUCCESS;
    spare_.push_back(reading_.front());
    reading_.pop_front();
  }
  return result;
}

} // namespace pegasus::cuda
