// SPDX-License-Identifier: Apache-2.0
// A context's textures and surfaces. The program has the driver's own handles, which are of this context alone: here
// only those are destroyed that were made here.
#pragma once

#include "domA/device/cuda/array_table.h"
#include "domA/device/cuda/driver.h"
#include "domA/device/cuda/task_state.h"
#include "domA/device/memory/ranges.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>

namespace pegasus::cuda {

class DriverTextures {
public:
  using Status = device::Status;

  // Textures and surfaces of a context, together. More are refused as if there were no memory.
  static constexpr std::size_t most = 65'536;

  // All of them must outlive it.
  DriverTextures(Driver const& driver, memory::Ranges const& ranges, ArrayTable const& arrays,
                 TaskState& state)
      : driver_(driver), ranges_(ranges), arrays_(arrays), state_(state) {}
  DriverTextures(DriverTextures const&) = delete;
  DriverTextures& operator=(DriverTextures const&) = delete;

  void close(); // destroys them; the context must still exist

  // As for the functions of device::Context. What a texture reads is the task's own when it is made; afterwards it may
  // go, as in CUDA: then kernels find whatever of their own context is there, or fail.
  Status create(device::TextureSource const& source, device::Sampling const& sampling,
                std::uint64_t& texture);
  Status destroy(std::uint64_t texture);
  Status create_surface(device::Address level, std::uint64_t& surface);
  Status destroy_surface(std::uint64_t surface);

private:
  // nullopt: it is not there, or not the task's.
  [[nodiscard]] std::optional<CUDA_RESOURCE_DESC> resource_of(device::TextureSource const& source) const;
  [[nodiscard]] bool full() const { return textures_.size() + surfaces_.size() >= most; }

  Driver const& driver_;
  memory::Ranges const& ranges_;
  ArrayTable const& arrays_;
  TaskState& state_;
  std::unordered_set<CUtexObject> textures_;
  std::unordered_set<CUsurfObject> surfaces_;
};

} // namespace pegasus::cuda
