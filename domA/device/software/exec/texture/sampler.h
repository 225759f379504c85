// SPDX-License-Identifier: Apache-2.0
// One fetch of one lane from a texture, as the CUDA C++ Programming Guide's appendix "Texture Fetching" defines it.
// Positions are exact where the guide's formulas are; weights have 8 bits behind the point, as there. Weighted sums are
// exact and rounded once: hardware does less. Coordinates may be any number: not a number is as 0.
#pragma once

#include "domA/device/software/exec/texture/texel_reader.h"
#include "domA/device/software/exec/texture/texel_values.h"
#include "domA/device/software/exec/texture/textures.h"
#include "domA/device/software/exec/texture_forms.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace pegasus::software {

struct Fetch {
  Geometry geometry = Geometry::d1;
  std::uint32_t layer = 0; // the last one there is if it is greater
  std::array<float, 3> at{};
  std::array<std::int32_t, 3> offset{}; // in texels
  float level = 0;
};

struct IntegerFetch {
  Geometry geometry = Geometry::d1;
  std::uint32_t layer = 0;
  std::array<std::int64_t, 3> at{}; // in texels
  std::int32_t level = 0;
};

class Sampler {
public:
  // Both must outlive this object. If the reader has failed after a fetch, its result is none.
  Sampler(device::Sampling const& sampling, TexelReader& reader);

  [[nodiscard]] TexelValues fetch(Fetch const&);
  // The hardware uses no address mode here: out of range are zeros.
  [[nodiscard]] TexelValues fetch(IntegerFetch const&);
  // One channel of the four texels that a linear filter would use.
  [[nodiscard]] TexelValues gather(Fetch const&, std::size_t channel);
  // What Fetch::level is for these derivatives of its coordinates.
  [[nodiscard]] float level_of(Fetch const&, std::array<float, 3> const& by_x,
                               std::array<float, 3> const& by_y) const;

private:
  using Sums = std::array<double, 4>;
  using Index = std::array<std::int64_t, 3>;

  // A position in one level, in texels.
  struct Position {
    std::size_t level = 0;
    std::uint32_t dimensions = 1;
    std::array<double, 3> at{};
    std::uint64_t slice = 0; // of fewer than three dimensions
    bool cube = false;
    std::uint32_t face = 0;
  };
  // Texels of a linear filter: from `first` on two in each dimension, and the share of the second one.
  struct Footprint {
    Index first{};
    std::array<double, 3> share{};
  };

  [[nodiscard]] Position position(Fetch const&, std::size_t level) const;
  [[nodiscard]] std::uint64_t slice_of(Geometry, std::uint32_t layer, std::size_t level) const;
  [[nodiscard]] std::uint64_t extent(std::size_t level, std::size_t dimension) const;
  [[nodiscard]] device::AddressMode mode(std::size_t dimension) const;
  [[nodiscard]] static Footprint footprint(Position const&);
  [[nodiscard]] static Index nearest(Position const&);

  [[nodiscard]] TexelValues texel(Position const&, Index);
  [[nodiscard]] TexelValues texel_of_cube(Position const&, Index const&);
  [[nodiscard]] TexelValues corner(Position const&, Index const&);
  [[nodiscard]] TexelValues read(std::size_t level, std::uint64_t x, std::uint64_t y, std::uint64_t slice);
  [[nodiscard]] Sums linear(Position const&);
  [[nodiscard]] Sums of_level(Fetch const&, std::size_t level);

  device::Sampling const& sampling_;
  TexelReader& reader_;
  TexelStore const& store_;
  bool floats_;
};

} // namespace pegasus::software
