// SPDX-License-Identifier: Apache-2.0
// Device malloc's heap: one allocation in device memory, created at a kernel's first request. Its
// book-keeping is on the host, where no kernel can write.
#pragma once

#include "domA/device/software/exec/memory/memory.h"

#include <map>

namespace pegasus::software {

class DeviceHeap {
public:
  DeviceHeap(Memory& memory, std::uint64_t bytes) : memory_(memory), bytes_(bytes) {}
  ~DeviceHeap();
  DeviceHeap(DeviceHeap const&) = delete;
  DeviceHeap& operator=(DeviceHeap const&) = delete;

  // 16-byte aligned; 0 if the heap is full, as CUDA's malloc in kernels returns null.
  [[nodiscard]] Address allocate(std::uint64_t bytes);
  [[nodiscard]] bool free(Address); // false: not the start of a live block

private:
  Memory& memory_;
  std::uint64_t bytes_;
  Address base_ = 0;
  std::map<std::uint64_t, std::uint64_t> live_, idle_; // offset -> bytes
};

} // namespace pegasus::software
