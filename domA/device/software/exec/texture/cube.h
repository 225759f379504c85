// SPDX-License-Identifier: Apache-2.0
// Cubemaps: which face a direction meets, where on it, and what is beyond a face's edges. CUDA C++ Programming Guide,
// "Cubemap Textures".
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace pegasus::software {

// Faces are +x, -x, +y, -y, +z, -z.
struct CubePoint {
  std::uint32_t face = 0;
  double s = 0, t = 0; // from 0 to 1
};

[[nodiscard]] CubePoint cube_point(std::array<float, 3> const& direction);
// How far s and t go if the direction goes by `step`.
[[nodiscard]] std::array<double, 2> cube_step(std::array<float, 3> const& direction,
                                              std::array<float, 3> const& step);

struct CubeTexel {
  std::uint32_t face = 0;
  std::int64_t x = 0, y = 0;
};

// The texel of another face that adjoins the one at (x, y) beyond an edge of faces of n x n texels. nullopt at a corner,
// where there is none.
[[nodiscard]] std::optional<CubeTexel> beyond_edge(CubeTexel const&, std::int64_t n);

} // namespace pegasus::software
