// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/cube.h"

#include "domA/device/software/exec/test_textures.h"
#include "domA/device/software/exec/texture/sampler.h"

#include <bit>
#include <catch2/catch.hpp>
#include <limits>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::AddressMode;
using pegasus::device::Filter;
using pegasus::device::Sampling;

namespace {

// The guide's table: s and t over m.
CubePoint on_face(std::uint32_t face, double s_over_m, double t_over_m) {
  return {face, (s_over_m + 1) / 2, (t_over_m + 1) / 2};
}

void check(std::array<float, 3> direction, CubePoint expected) {
  CubePoint const point = cube_point(direction);
  CAPTURE(direction[0], direction[1], direction[2]);
  CHECK(point.face == expected.face);
  CHECK(point.s == expected.s);
  CHECK(point.t == expected.t);
}

// Four times the centre of a texel in space, on a cube of 2 n: each face has integers of its own.
std::array<std::int64_t, 3> centre(CubeTexel const& t, std::int64_t n) {
  std::int64_t const s = 2 * t.x + 1 - n, u = 2 * t.y + 1 - n;
  switch (t.face) {
  case 0:
    return {n, -u, -s};
  case 1:
    return {-n, -u, s};
  case 2:
    return {s, n, u};
  case 3:
    return {s, -n, -u};
  case 4:
    return {s, -u, n};
  default:
    return {-s, -u, -n};
  }
}

} // namespace

TEST_CASE("directions meet faces as in the guide's table") {
  float const x = 4, y = 1, z = 2;
  check({x, y, z}, on_face(0, -0.5, -0.25));
  check({-x, y, z}, on_face(1, 0.5, -0.25));
  check({y, x, z}, on_face(2, 0.25, 0.5));
  check({y, -x, z}, on_face(3, 0.25, -0.5));
  check({z, y, x}, on_face(4, 0.5, -0.25));
  check({z, y, -x}, on_face(5, -0.5, -0.25));
  check({1, 1, 1}, on_face(4, 1, -1));
  check({1, -1, 0.5f}, on_face(3, 1, -0.5));
  check({0, 0, 0}, on_face(4, 0, 0));
  CHECK(cube_point({std::numeric_limits<float>::quiet_NaN(), 1, 1}).face < 6);
}

TEST_CASE("a step of a direction is one on the face") {
  auto const step = cube_step({4, 1, 2}, {0, 1, 0});
  CHECK(step[0] == 0);
  CHECK(step[1] == -0.125);
  auto const along = cube_step({4, 1, 2}, {4, 1, 2});
  CHECK(along[0] == 0);
  CHECK(along[1] == 0);
  auto const outward = cube_step({4, 1, 2}, {4, 0, 0}); // s/m goes by 2/4
  CHECK(outward[0] == 0.25);
}

TEST_CASE("beyond an edge is the texel that touches it") {
  for (std::int64_t const n : {1, 2, 5})
    for (std::uint32_t face = 0; face < 6; ++face)
      for (std::int64_t i = 0; i < n; ++i)
        for (CubeTexel const& out :
             {CubeTexel{face, -1, i}, CubeTexel{face, n, i}, CubeTexel{face, i, -1}, CubeTexel{face, i, n}}) {
          auto const beyond = beyond_edge(out, n);
          REQUIRE(beyond);
          REQUIRE(beyond->face != face);
          CubeTexel const inside{face, std::clamp<std::int64_t>(out.x, 0, n - 1),
                                 std::clamp<std::int64_t>(out.y, 0, n - 1)};
          // Neighbours over an edge: one step along each of the two axes across it, none along it.
          auto const a = centre(inside, n), b = centre(*beyond, n);
          std::int64_t distance = 0;
          int steps = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            distance += std::abs(a[k] - b[k]);
            steps += a[k] != b[k] ? 1 : 0;
          }
          CAPTURE(n, face, out.x, out.y, beyond->face, beyond->x, beyond->y);
          REQUIRE(distance == 2);
          REQUIRE(steps == 2);
        }
  CHECK_FALSE(beyond_edge({0, -1, -1}, 4));
  CHECK_FALSE(beyond_edge({0, 4, -1}, 4));
}

namespace {

struct CubeBench {
  explicit CubeBench(bool seamless) {
    store = numbered(memory, 2, {2, 2, 12}); // two layers
    store.cubemap = store.layered = true;
    sampling.filter = Filter::linear;
    sampling.normalized_coordinates = true;
    sampling.seamless_cubemap = seamless;
  }
  float at(std::array<float, 3> direction, std::uint32_t layer = 0) {
    TexelReader reader(memory, store);
    Sampler sampler(sampling, reader);
    return std::bit_cast<float>(
        sampler.fetch(Fetch{.geometry = Geometry::acube, .layer = layer, .at = direction})[0]);
  }
  Memory memory{1u << 20};
  TexelStore store;
  Sampling sampling;
};

} // namespace

TEST_CASE("faces are slices, six to a layer") {
  CubeBench cube(false);
  CHECK(cube.at({1, 0, 0}) == 5.5f); // the mean of 0, 1, 10 and 11
  CHECK(cube.at({0, 0, -1}) == 505.5f);
  CHECK(cube.at({0, 1, 0}, 1) == 805.5f);
  CHECK(cube.at({0, 1, 0}, 99) == 805.5f);
  cube.sampling.filter = Filter::point;
  CHECK(cube.at({1, 0.5f, 0.5f}) == 0); // s, t are negative
  CHECK(cube.at({1, -0.5f, -0.5f}) == 11);
}

TEST_CASE("filters stay on a face unless they are seamless") {
  // Between +x and +z, at the height of the upper texels: +x's left column, +z's right column.
  CubeBench apart(false), together(true);
  CHECK(apart.at({1, 0.5f, 1}) == 401);
  CHECK(together.at({1, 0.5f, 1}) == (401.0f + 0) / 2);
  // At the corner of +x, +y and +z: each has a texel there.
  float const mean = (401.0f + 0 + 211) / 3;
  CHECK(together.at({1, 1, 1}) == Approx((401.0f + 0 + 211 + mean) / 4));
  CHECK(apart.at({1, 1, 1}) == 401);
}
