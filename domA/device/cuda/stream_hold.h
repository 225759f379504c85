// SPDX-License-Identifier: Apache-2.0
// Holds a stream back while a kernel and the events around it are submitted. On an idle stream the first
// event would happen at once, and the kernel's way to the device would be measured with the kernel.
//
// Held for some microseconds of this thread's work, and only for launches that cannot wait for the device
// themselves: such a launch would wait for us. A driver that does not have it is asked once.
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

  void hold(CUstream stream); // until release(); without effect where it cannot be done
  void release();             // if it is held
  void close();               // releases, and gives the memory back while the context is still there

private:
  [[nodiscard]] bool make_word();

  Driver const& driver_;
  bool possible_;
  std::uint32_t* word_ = nullptr; // the stream waits until it says `turn_`
  CUdeviceptr word_on_device_ = 0;
  std::uint32_t turn_ = 0;
};

} // namespace pegasus::cuda
