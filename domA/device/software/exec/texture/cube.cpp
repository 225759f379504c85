// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/cube.h"

#include <algorithm>
#include <cmath>

namespace pegasus::software {
namespace {

using Vector = std::array<double, 3>;

// Of a face: the axis of m, which is the greatest of a direction's coordinates, and those of s and t; with their signs.
struct Face {
  std::size_t m, s, t;
  double m_sign, s_sign, t_sign;
};
constexpr Face cube_faces[6] = {
    {0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1},
    {1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1},  {2, 0, 1, -1, -1, -1},
};

// The guide leaves open which face a direction between two has: here z before y before x.
std::uint32_t face_of(Vector const& v) {
  double const x = std::fabs(v[0]), y = std::fabs(v[1]), z = std::fabs(v[2]);
  std::size_t const axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return static_cast<std::uint32_t>(2 * axis + (v[axis] < 0 ? 1 : 0));
}

CubePoint point(Vector const& v) {
  std::uint32_t const number = face_of(v);
  Face const& face = cube_faces[number];
  double const m = v[face.m] * face.m_sign;
  if (!(m > 0)) return {number, 0.5, 0.5}; // no direction at all, or not a number
  return {number, (v[face.s] * face.s_sign / m + 1) / 2, (v[face.t] * face.t_sign / m + 1) / 2};
}

Vector vector_of(std::array<float, 3> const& v) { return {v[0], v[1], v[2]}; }

} // namespace

CubePoint cube_point(std::array<float, 3> const& direction) { return point(vector_of(direction)); }

std::array<double, 2> cube_step(std::array<float, 3> const& direction, std::array<float, 3> const& step) {
  Vector const v = vector_of(direction), d = vector_of(step);
  Face const& face = cube_faces[face_of(v)];
  double const m = v[face.m] * face.m_sign, dm = d[face.m] * face.m_sign;
  if (!(m > 0)) return {0, 0};
  double const s = v[face.s] * face.s_sign, t = v[face.t] * face.t_sign;
  return {(d[face.s] * face.s_sign - s / m * dm) / m / 2, (d[face.t] * face.t_sign - t / m * dm) / m / 2};
}

std::optional<CubeTexel> beyond_edge(CubeTexel const& from, std::int64_t n) {
  bool const x_out = from.x < 0 || from.x >= n, y_out = from.y < 0 || from.y >= n;
  if (x_out == y_out) return std::nullopt;
  Face const& face = cube_faces[from.face];
  auto const size = static_cast<double>(n);
  auto const centre = [size](std::int64_t i) { return (2 * static_cast<double>(i) + 1) / size - 1; };
  // On the edge between both faces, and half a texel down the other one.
  Vector v{};
  v[face.m] = face.m_sign * (1 - 1 / size);
  v[face.s] = face.s_sign * (x_out ? (from.x < 0 ? -1.0 : 1.0) : centre(from.x));
  v[face.t] = face.t_sign * (y_out ? (from.y < 0 ? -1.0 : 1.0) : centre(from.y));
  std::size_t const axis = x_out ? face.s : face.t;
  auto const number = static_cast<std::uint32_t>(2 * axis + (v[axis] < 0 ? 1 : 0));
  Face const& other = cube_faces[number];
  auto const index = [&](std::size_t along, double sign) {
    return std::clamp<std::int64_t>(std::llround(((v[along] * sign + 1) * size - 1) / 2), 0, n - 1);
  };
  return CubeTexel{number, index(other.s, other.s_sign), index(other.t, other.t_sign)};
}

} // namespace pegasus::software
