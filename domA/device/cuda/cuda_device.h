// SPDX-License-Identifier: Apache-2.0
// A real GPU, through the CUDA driver API.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/device.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace pegasus::cuda {

// The share of device memory that a task may use. The worker implements it on its shared pages.
class MemoryShare {
public:
  virtual ~MemoryShare() = default;
  // Makes the bytes charged to this task equal to `bytes`. Returns false if the growth was refused; then
  // nothing has changed.
  [[nodiscard]] virtual bool charge(std::uint64_t bytes) = 0;
  // Those that the program may know of, of so many that are free on the device.
  [[nodiscard]] virtual std::uint64_t told_free_bytes(std::uint64_t on_device) const = 0;
  [[nodiscard]] virtual std::uint64_t total_bytes() const = 0;
  // For the program's user: why that many bytes more were refused; empty if they were not.
  [[nodiscard]] virtual std::string why_refused(std::uint64_t bytes) const = 0;
};

struct Options {
  Driver const* driver = nullptr;
  int ordinal = 0;
  MemoryShare* memory = nullptr;   // nullptr: all of the device's memory
  std::uint64_t context_bytes = 0; // the device memory of the context itself: charged too
  device::Nanos slice{0};          // launches that take longer are split; 0: no launch is
  unsigned queued_launches = 2;    // on the device while other workers wait for it
  int output_fd = -1;              // the file that this process's standard output goes to; -1: printf is lost
  std::atomic<std::uint64_t>* executing_since = nullptr; // of gate/pages.h; nullptr: not needed
  std::span<std::byte> pinned;                           // the call buffer: copies from and to it are DMA
  std::span<std::byte> code_cache;                       // code_cache.h; empty: nothing is kept
  std::atomic<std::uint32_t>* pageable = nullptr;        // of gate/pages.h; nullptr: not needed
};

// Everything in `options` must outlive the context. The error contains the driver's message.
[[nodiscard]] tl::expected<std::unique_ptr<device::Context>, std::string> make_cuda_context(Options const&);

} // namespace pegasus::cuda
