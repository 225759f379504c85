// SPDX-License-Identifier: Apache-2.0
// Events of one kind, used again and again.
#pragma once

#include "domA/device/cuda/driver.h"

#include <vector>

namespace pegasus::cuda {

class EventPool {
public:
  // flags: of cuEventCreate.
  EventPool(Driver const& driver, unsigned flags) : driver_(driver), flags_(flags) {}
  ~EventPool() { close(); }
  EventPool(EventPool const&) = delete;
  EventPool& operator=(EventPool const&) = delete;

  // Returns nullptr if the driver makes none.
  [[nodiscard]] CUevent take() {
    CUevent event = nullptr;
    if (spare_.empty()) return driver_.cuEventCreate(&event, flags_) == CUDA_SUCCESS ? event : nullptr;
    event = spare_.back();
    spare_.pop_back();
    return event;
  }
  void give(CUevent event) { // nullptr: nothing
    if (event != nullptr) spare_.push_back(event);
  }
  // Destroys those that were given back; the context must still exist.
  void close() {
    for (CUevent const event : spare_)
      driver_.cuEventDestroy(event);
    spare_.clear();
  }

private:
  Driver const& driver_;
  unsigned flags_;
  std::vector<CUevent> spare_;
};

} // namespace pegasus::cuda
