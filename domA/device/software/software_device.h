// SPDX-License-Identifier: Apache-2.0
// The software accelerator: executes the PTX that nvcc puts into programs on the CPU. Correct results on any
// machine, but not the timing of any GPU.
#pragma once

#include "domA/device/capabilities.h"
#include "domA/device/device.h"
#include "domA/device/memory/quota.h"
#include "domA/device/shared/engine.h"

#include <cstdint>
#include <memory>

namespace pegasus::software {

struct Options {
  // The maximum that this context may use, whatever the quota says.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  device::HostWindow host = {};                          // whole pages
  shared::EngineClient* engine = nullptr;                // nullptr: this context does not share the engine
  memory::Quota quota = {};                              // unlimited
  std::atomic<std::uint64_t>* executing_since = nullptr; // of gate/pages.h; nullptr: not needed
  bool forgives_gaps = false;                            // Limits of exec/machine/launch.h
  std::uint32_t compute_capability = device::default_capability;
};

[[nodiscard]] device::Profile software_profile(std::uint64_t memory_bytes,
                                               std::uint32_t compute_capability = device::default_capability);
// The addresses without memory of a context, which a program may reserve and map.
[[nodiscard]] std::uint64_t mappable_bytes(std::uint64_t memory_bytes);
// Everything in `options` must outlive the context.
[[nodiscard]] std::unique_ptr<device::Context> make_software_context(Options const& options);

} // namespace pegasus::software
