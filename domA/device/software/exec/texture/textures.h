// SPDX-License-Identifier: Apache-2.0
// The textures and surfaces that exist in one context, by the 64-bit handles that kernels get as parameters. A handle in
// a kernel is the guest's number: nothing may rely on it before find_*() has found it, and the memory of what it names
// may be gone: every access is checked as any other is (memory/memory.h).
#pragma once

#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/texture.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pegasus::software {

// One level of an array, or the memory that a texture reads: texels, row by row, slice by slice. A slice is a layer or
// a face where the array has them.
struct TexelPlane {
  Address base = 0;
  std::uint64_t width = 1, height = 1, slices = 1; // in texels
  std::uint64_t row_bytes = 0, slice_bytes = 0;    // from one row, and one slice, to the next
};

// What a texture or a surface is made of.
struct TexelStore {
  device::Texel texel{};
  std::uint32_t dimensions = 1; // 1 to 3, layers and faces not counted
  bool layered = false;
  bool cubemap = false;
  bool linear = false;                 // of memory without rows: read by tex with integer coordinates only
  std::vector<TexelPlane> levels = {}; // at least one
};

struct Texture {
  TexelStore store;
  device::Sampling sampling;
};

class Textures {
public:
  // The handle, never 0. Textures and surfaces have numbers of one kind, so that one is never taken for the other.
  [[nodiscard]] std::uint64_t add(Texture texture);
  [[nodiscard]] std::uint64_t add_surface(TexelStore store);
  [[nodiscard]] bool remove(std::uint64_t texture); // false: there is none
  [[nodiscard]] bool remove_surface(std::uint64_t surface);

  [[nodiscard]] Texture const* find(std::uint64_t texture) const;
  [[nodiscard]] TexelStore const* find_surface(std::uint64_t surface) const;
  [[nodiscard]] std::size_t count() const { return textures_.size() + surfaces_.size(); }

private:
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, Texture> textures_;
  std::unordered_map<std::uint64_t, TexelStore> surfaces_;
};

} // namespace pegasus::software
