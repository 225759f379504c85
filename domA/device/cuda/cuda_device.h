// SPDX-License-Identifier: Apache-2.0
// A real GPU, through the CUDA driver API.
#pragma once

#include "domA/device/cuda/driver.h"
#include "domA/device/device.h"
#include "domA/device/memory/quota.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace pegasus::cuda {

struct Options {
  Driver const* driver = nullptr;
  int ordinal = 0;
  memory::Quota memory = {};       // unlimited
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
