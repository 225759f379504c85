// SPDX-License-Identifier: Apache-2.0
// Holds a stream back while a kernel and the events around it are submitted. On an idle stream the first
// event would complete at once, and the submission of the kernel would be measured with it.
//
// The stream is held for some microseconds of this thread's work, and only for launches whose submission
// does not wait for the device: such a launch would deadlock with the hold. If the driver refuses once, it
// is not asked again.
#pragma once

#include "domA/device/cuda/driver.h"

#include <cstdint>

namespace pegasus::cuda {

class StreamHold {
public:
  StreamHold(Driver const& driver, bool maps_host_memory);
  ~StreamHold() { close(); }
  StreamHold(StreamHold const&) = delete;
  StreamHold& operator=(StreamHold const&) = delete;

  void hold(CUstream stream); // until release(); no effect if it is not possible
  void release();             // if it is held
  void close();               // releases, and frees the memory; the context must still exist

private:
  [[nodiscard]] bool make_word();

  Driver const& driver_;
  bool possible_;
  std::uint32_t* word_ = nullptr; // the stream waits until it contains `turn_`
  CUdeviceptr word_on_device_ = 0;
  std::uint32_t turn_ = 0;
};

} // namespace pegasus::cuda
