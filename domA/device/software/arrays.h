// SPDX-License-Identifier: Apache-2.0
// A task's arrays on the software accelerator, and the textures and surfaces that it has made. An array's texels are
// in ordinary device memory, at the addresses that copies use (domA/device/array_levels.h).
#pragma once

#include "domA/device/software/device_memory.h"
#include "domA/device/software/exec/texture/textures.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace pegasus::software {

class Arrays {
public:
  using Status = device::Status;
  static constexpr std::size_t most_objects = 1 << 16; // arrays of a task; textures and surfaces

  explicit Arrays(DeviceMemory& memory) : memory_(memory) {}

  // As for the functions of device::Context. invalid_value, too: no array begins there, no level of one is there, no
  // such texture or surface, no such memory, no array that kernels may write; out_of_memory: there are as many as a task
  // may have.
  [[nodiscard]] Status create(device::ArrayShape const& shape, Address& base);
  [[nodiscard]] Status destroy(Address base);
  [[nodiscard]] Status create_texture(device::TextureSource const& source, device::Sampling const& sampling,
                                      std::uint64_t& texture);
  [[nodiscard]] Status destroy_texture(std::uint64_t texture);
  [[nodiscard]] Status create_surface(Address level, std::uint64_t& surface);
  [[nodiscard]] Status destroy_surface(std::uint64_t surface);

  [[nodiscard]] Textures const& textures() const { return textures_; }

private:
  struct LevelPlace {
    Address base; // of the array
    device::ArrayShape const& shape;
    std::uint32_t level;
  };

  [[nodiscard]] std::optional<TexelStore> whole_array(Address base) const;
  [[nodiscard]] std::optional<LevelPlace> find_level(Address level) const;
  // If its memory is an allocation's.
  [[nodiscard]] std::optional<TexelStore> in_memory(TexelStore store) const;
  [[nodiscard]] std::optional<TexelStore> store_of(device::TextureSource const& source) const;

  DeviceMemory& memory_;
  std::map<Address, device::ArrayShape> arrays_; // by where they begin
  Textures textures_;
};

} // namespace pegasus::software
