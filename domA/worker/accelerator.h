// SPDX-License-Identifier: Apache-2.0
// The accelerator that a worker executes on, opened before the sandbox is entered.
#pragma once

#include "domA/device/device.h"
#include "domA/worker/start.h"

#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>

namespace pegasus::worker {

class Accelerator {
public:
  virtual ~Accelerator() = default;
  // A fresh context: at the start and when the program resets its device. Never null: without a context the
  // process ends.
  [[nodiscard]] virtual std::unique_ptr<device::Context> make_context() = 0;
  [[nodiscard]] virtual std::uint64_t private_bytes() const = 0; // that it needs of this process
};

// What pegasusd shares with the worker. It lives as long as the process.
struct Shared {
  shared::EnginePage& engine;
  shared::Quota memory;
  std::atomic<std::uint32_t> const& alone;     // of gate/pages.h
  std::span<std::byte> arena;                  // the call buffer's bulk part
  std::atomic<std::uint64_t>& executing_since; // of gate/pages.h
};

} // namespace pegasus::worker
