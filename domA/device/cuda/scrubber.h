// SPDX-License-Identifier: Apache-2.0
// Zeroes fresh memory on a stream of its own. The program's work waits for it on the device, not the worker:
// each stream waits before the first work that is submitted to it afterwards.
#pragma once

#include "domA/device/cuda/driver.h"

#include <functional>
#include <set>

namespace pegasus::cuda {

class Scrubber {
public:
  explicit Scrubber(Driver const& driver);
  ~Scrubber() { close(); }
  Scrubber(Scrubber const&) = delete;
  Scrubber& operator=(Scrubber const&) = delete;

  void close(); // the context must still exist; it also destroys the stream

  [[nodiscard]] CUstream stream() const { return stream_; }
  // Submits the zeroes. If the driver then cannot say when they are done, waits for them.
  [[nodiscard]] CUresult scrub(CUdeviceptr address, std::uint64_t bytes);
  // The same for what is not at an address: `zero` submits the zeroes to the stream. If it fails, it may have submitted
  // some of them, for which nothing waits.
  [[nodiscard]] CUresult scrub(std::function<CUresult(CUstream)> const& zero);
  // Call it before anything that may use memory is submitted to a stream. If it fails, nothing may be submitted.
  [[nodiscard]] CUresult order(CUstream stream) { return pending_ ? wait_on(stream) : CUDA_SUCCESS; }
  void is_new(CUstream stream) { waiting_.erase(stream); } // the driver may use a handle again
  // Waits. Call it before memory is freed: the zeroes must not arrive at its next owner's.
  [[nodiscard]] CUresult finish();

private:
  [[nodiscard]] CUresult wait_on(CUstream stream);

  Driver const& driver_;
  CUstream stream_ = nullptr;
  CUevent done_ = nullptr;     // of the last scrubbing; it includes the earlier ones
  bool pending_ = false;       // it may not have happened yet
  std::set<CUstream> waiting_; // the streams that wait for it
};

} // namespace pegasus::cuda
