// SPDX-License-Identifier: Apache-2.0
// Streams and events of a context on a GPU.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/work_queue.h"

namespace pegasus::cuda {

class CudaStream final : public device::Stream {
public:
  CudaStream(Driver const& driver, WorkQueue& queue, CUstream stream)
      : driver_(driver), queue_(queue), stream_(stream) {}
  ~CudaStream() override {
    queue_.forget(stream_);
    driver_.cuStreamDestroy(stream_); // its work continues
  }
  CudaStream(CudaStream const&) = delete;
  CudaStream& operator=(CudaStream const&) = delete;
  [[nodiscard]] CUstream handle() const { return stream_; }

private:
  Driver const& driver_;
  WorkQueue& queue_;
  CUstream stream_;
};

class CudaEvent final : public device::Event {
public:
  CudaEvent(Driver const& driver, CUevent event) : driver_(driver), event_(event) {}
  ~CudaEvent() override { driver_.cuEventDestroy(event_); }
  CudaEvent(CudaEvent const&) = delete;
  CudaEvent& operator=(CudaEvent const&) = delete;
  [[nodiscard]] CUevent handle() const { return event_; }

private:
  Driver const& driver_;
  CUevent event_;
};

// nullptr: the default stream.
[[nodiscard]] inline CUstream handle_of(device::Stream const* stream) {
  return stream == nullptr ? CU_STREAM_LEGACY : static_cast<CudaStream const*>(stream)->handle();
}
[[nodiscard]] inline CUevent handle_of(device::Event const& event) {
  return static_cast<CudaEvent const&>(event).handle();
}

} // namespace pegasus::cuda
