// SPDX-License-Identifier: Apache-2.0
// Where texels are in this process, for the accesses of one instruction: the memory of a plane is looked up once, and
// each texel by itself where a plane is not all in one allocation.
#pragma once

#include "domA/device/software/exec/memory/memory.h"
#include "domA/device/software/exec/texture/textures.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace pegasus::software {

class TexelReader {
public:
  // Both must outlive this object; the store has a level.
  TexelReader(Memory const& memory, TexelStore const& store) : memory_(memory), store_(store) {}

  [[nodiscard]] TexelStore const& store() const { return store_; }

  // `bytes` bytes from byte `x` of a row on. They must be inside the plane: level, row and slice exist. nullptr if there
  // is no such memory (any more); then missing() is its address.
  [[nodiscard]] std::byte* at(std::size_t level, std::uint64_t x, std::uint64_t y, std::uint64_t slice,
                              std::uint64_t bytes);
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] Address missing() const { return missing_; }

private:
  struct View {
    TexelPlane const* plane = nullptr;
    std::byte* host = nullptr; // nullptr: each access is looked up
  };
  [[nodiscard]] View const& view_of(std::size_t level);

  Memory const& memory_;
  TexelStore const& store_;
  std::array<View, 2> views_; // by the level's lowest bit: two adjacent ones are used together
  Address missing_ = 0;
  bool failed_ = false;
};

} // namespace pegasus::software
