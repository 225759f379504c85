// SPDX-License-Identifier: Apache-2.0
// The accelerator that a worker executes on, opened before entering the sandbox.
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
  // Makes a new context: at the start and when the program resets its device. Never returns nullptr: without
  // a context the process ends.
  [[nodiscard]] virtual std::unique_ptr<device::Context> make_context() = 0;
  [[nodiscard]] virtual std::uint64_t private_bytes() const = 0; // memory that it needs in this process
  [[nodiscard]] virtual std::uint64_t reserved_bytes() const { return 0; } // ... and addresses without memory
};

// What pegasusd shares with the worker. It exists as long as the process.
struct Shared {
  shared::EngineAccess const& engine;
  shared::SlotPages const& slots;
  shared::SlotPage& own_slot;
  shared::EngineGate& engine_wait;
  memory::Quota memory;
  std::span<std::byte> arena;                  // the call buffer's bulk part
  device::HostWindow host_window;              // empty: none
  std::span<std::byte> code_cache;             // of the domain; empty: none
  std::atomic<std::uint64_t>& executing_since; // of gate/pages.h
  std::atomic<std::uint32_t>& pageable;        // the same
};

} // namespace pegasus::worker
