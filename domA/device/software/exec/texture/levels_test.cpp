// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/levels.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace pegasus::software;
using pegasus::device::Filter;
using pegasus::device::Sampling;

namespace {

Sampling mipmapped(Filter filter, float bias = 0, float least = 0, float most = 100) {
  Sampling s;
  s.mipmap_filter = filter;
  s.mipmap_bias = bias;
  s.mipmap_least = least;
  s.mipmap_most = most;
  return s;
}

double chosen(float level, Sampling const& sampling, std::size_t count = 5, bool filtered = true) {
  LevelChoice const c = levels_for(level, sampling, count, filtered);
  REQUIRE(c.first < count);
  REQUIRE((c.share == 0 || c.first + 1 < count));
  return static_cast<double>(c.first) + c.share;
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();

} // namespace

TEST_CASE("the nearest level, or two of them") {
  Sampling const nearest = mipmapped(Filter::point), both = mipmapped(Filter::linear);
  CHECK(chosen(1.49f, nearest) == 1);
  CHECK(chosen(1.5f, nearest) == 2);
  CHECK(chosen(1.5f, both) == 1.5);
  CHECK(chosen(1.5f, both, 5, false) == 2); // of integers
  CHECK(chosen(1 + 255.6f / 256, both) == 2);
  CHECK(chosen(99, both) == 4);
  CHECK(chosen(3.75f, both) == 3.75);
  CHECK(chosen(1, both, 1) == 0);
}

TEST_CASE("bias, then the sampling's range, then the levels there are") {
  CHECK(chosen(1, mipmapped(Filter::linear, 0.5f)) == 1.5);
  CHECK(chosen(1, mipmapped(Filter::linear, -5)) == 0);
  CHECK(chosen(4, mipmapped(Filter::linear, 0, 0, 2.25f)) == 2.25);
  CHECK(chosen(base_level, mipmapped(Filter::linear, 0, 1.5f)) == 1.5);
  CHECK(chosen(base_level, mipmapped(Filter::linear, 3)) == 0);
  CHECK(chosen(2, mipmapped(Filter::linear, 0, 50, 60)) == 4);
  CHECK(chosen(2, Sampling{}) == 0); // whose range is the first level
}

TEST_CASE("any number is a level") {
  for (float const v : {not_a_number, infinite, -infinite, 1e38f, -1e38f})
    for (Filter const filter : {Filter::point, Filter::linear}) {
      static_cast<void>(chosen(v, mipmapped(filter)));
      static_cast<void>(chosen(1, mipmapped(filter, v)));
      static_cast<void>(chosen(1, mipmapped(filter, 0, v)));
      static_cast<void>(chosen(1, mipmapped(filter, 0, 0, v)));
    }
  CHECK(chosen(not_a_number, mipmapped(Filter::linear, 0, 1)) == 1);
}

TEST_CASE("a level follows from the longer derivative") {
  CHECK(level_for({4, 0, 0}, {0, 2, 0}) == 2);
  CHECK(level_for({3, 4, 0}, {0, 0, 16}) == 4);
  CHECK(level_for({0.25, 0, 0}, {0, 0, 0}) == -2);
  CHECK(level_for({}, {}) == -infinite);
}
