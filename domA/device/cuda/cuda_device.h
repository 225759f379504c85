// SPDX-License-Identifier: Apache-2.0
// A real GPU, through the CUDA driver API.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/device.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace pegasus::cuda {

// The share of device memory that a task may use. Implemented by the worker, on the pages that it shares.
class MemoryShare {
public:
  virtual ~MemoryShare() = default;
  // Makes what is charged to this task equal to `bytes`. false: the growth is refused, nothing has changed.
  [[nodiscard]] virtual bool settle(std::uint64_t bytes) = 0;
  [[nodiscard]] virtual std::uint64_t free_bytes() const = 0;
  [[nodiscard]] virtual std::uint64_t total_bytes() const = 0;
};

struct Options {
  Driver const* driver = nullptr;
  int ordinal = 0;
  MemoryShare* memory = nullptr;   // null: all of the device's
  std::uint64_t context_bytes = 0; // what a context itself takes of the device's memory: charged too
  device::Nanos slice{0};          // launches that take longer are split; 0: none is
  unsigned queued_launches = 2;    // on the device while others wait for it
  int output_fd = -1;              // a file that this process's standard output goes to; -1: printf is lost
  std::atomic<std::uint64_t>* executing_since = nullptr; // of gate/pages.h; null: nobody looks
  std::span<std::byte> pinned;                           // the call buffer: copies from and to it are DMA
};

// Everything in `options` must outlive the context. The error says what the driver said.
[[nodiscard]] tl::expected<std::unique_ptr<device::Context>, std::string> make_cuda_context(Options const&);

} // namespace pegasus::cuda
