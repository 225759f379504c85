// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/sampler.h"

#include "domA/device/software/exec/texture/cube.h"
#include "domA/device/software/exec/texture/levels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace pegasus::software {
namespace {

using device::AddressMode;

constexpr std::uint64_t faces_per_cube = 6;
constexpr std::uint64_t max_face = 1u << 20; // far above what any device has

double float_value(std::uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits)); }
std::uint32_t float_bits(double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

// The texel that stands for one out of range; nullopt: the border.
std::optional<std::uint64_t> index_within(std::int64_t i, std::uint64_t extent, AddressMode mode) {
  auto const n = static_cast<std::int64_t>(extent);
  if (i >= 0 && i < n) return static_cast<std::uint64_t>(i);
  if (n <= 0 || mode == AddressMode::border) return std::nullopt;
  if (mode == AddressMode::wrap) return static_cast<std::uint64_t>((i % n + n) % n);
  return i < 0 ? 0 : extent - 1; // a mirrored position is within a texel of the edge, which is its own image
}

// What a mode makes of a position, where it fits in an integer. Two texels beyond an edge are as good as more.
double brought_in(double at, double extent, AddressMode how) {
  if (how == AddressMode::wrap || how == AddressMode::mirror) {
    double const turns = std::floor(at / extent);
    at -= turns * extent;
    if (how == AddressMode::mirror && std::fmod(turns, 2) != 0) at = extent - at;
  }
  if (std::isnan(at)) return 0;
  return std::clamp(at, -2.0, std::min(extent, 0x1p53) + 2);
}

} // namespace

Sampler::Sampler(device::Sampling const& sampling, TexelReader& reader)
    : sampling_(sampling), reader_(reader), store_(reader.store()),
      floats_(reads_floats(store_.texel, sampling)) {}

// Only normalized coordinates wrap.
AddressMode Sampler::mode(std::size_t dimension) const {
  AddressMode const mode = sampling_.address[dimension];
  bool const wraps = mode == AddressMode::wrap || mode == AddressMode::mirror;
  return wraps && !sampling_.normalized_coordinates ? AddressMode::clamp : mode;
}

std::uint64_t Sampler::extent(std::size_t level, std::size_t dimension) const {
  TexelPlane const& plane = store_.levels[level];
  return dimension == 0 ? plane.width : dimension == 1 ? plane.height : plane.slices;
}

std::uint64_t Sampler::slice_of(Geometry geometry, std::uint32_t layer, std::size_t level) const {
  std::uint64_t const slices = store_.levels[level].slices;
  std::uint64_t const in_layer = is_cube(geometry) ? faces_per_cube : 1;
  if (!has_layer(geometry) || slices < in_layer) return 0;
  return std::min<std::uint64_t>(layer, slices / in_layer - 1) * in_layer;
}

Sampler::Position Sampler::position(Fetch const& fetch, std::size_t level) const {
  Position p;
  p.level = level;
  p.slice = slice_of(fetch.geometry, fetch.layer, level);
  p.cube = is_cube(fetch.geometry);
  p.dimensions = p.cube ? 2 : coordinates_of(fetch.geometry);
  std::array<double, 3> at{fetch.at[0], fetch.at[1], fetch.at[2]};
  if (p.cube) {
    CubePoint const point = cube_point(fetch.at);
    at = {point.s, point.t, 0};
    p.face = point.face;
  }
  bool const scales = sampling_.normalized_coordinates || p.cube;
  for (std::size_t k = 0; k < p.dimensions; ++k) {
    auto const n = static_cast<double>(extent(level, k));
    AddressMode const how = p.cube && sampling_.seamless_cubemap ? AddressMode::clamp : mode(k);
    p.at[k] = brought_in((scales ? at[k] * n : at[k]) + fetch.offset[k], n, how);
  }
  return p;
}

TexelValues Sampler::read(std::size_t level, std::uint64_t x, std::uint64_t y, std::uint64_t slice) {
  std::uint32_t const bytes = store_.texel.bytes();
  std::byte const* const at = reader_.at(level, x * bytes, y, slice, bytes);
  return at != nullptr ? values_of(at, store_.texel, sampling_) : TexelValues{};
}

TexelValues Sampler::texel(Position const& p, Index at) {
  if (p.cube) return texel_of_cube(p, at);
  std::array<std::uint64_t, 3> i{0, 0, p.slice};
  for (std::size_t k = 0; k < p.dimensions; ++k) {
    std::optional<std::uint64_t> const index = index_within(at[k], extent(p.level, k), mode(k));
    if (!index) return border_of(store_.texel, sampling_);
    i[k] = *index;
  }
  if (i[2] >= extent(p.level, 2)) return TexelValues{}; // no slices
  return read(p.level, i[0], i[1], i[2]);
}

TexelValues Sampler::texel_of_cube(Position const& p, Index const& at) {
  std::uint64_t const n = extent(p.level, 0), slices = extent(p.level, 2);
  CubeTexel place{p.face, at[0], at[1]};
  auto const inside = [n](std::int64_t i) { return i >= 0 && static_cast<std::uint64_t>(i) < n; };
  if (n == 0 || n > max_face) return TexelValues{};
  if (sampling_.seamless_cubemap && !(inside(at[0]) && inside(at[1]))) {
    std::optional<CubeTexel> const beyond = beyond_edge(place, static_cast<std::int64_t>(n));
    if (!beyond) return corner(p, at);
    place = *beyond;
  }
  auto const x = index_within(place.x, n, mode(0)), y = index_within(place.y, extent(p.level, 1), mode(1));
  if (!x || !y) return border_of(store_.texel, sampling_);
  std::uint64_t const slice = p.slice + place.face;
  return slice < slices ? read(p.level, *x, *y, slice) : TexelValues{}; // the store may be no cubemap
}

// Three faces meet there: in place of a fourth texel is the mean of theirs.
TexelValues Sampler::corner(Position const& p, Index const& at) {
  auto const last = static_cast<std::int64_t>(extent(p.level, 0)) - 1;
  std::int64_t const x = std::clamp<std::int64_t>(at[0], 0, last),
                     y = std::clamp<std::int64_t>(at[1], 0, last);
  std::int64_t const x_out = at[0] < 0 ? -1 : last + 1, y_out = at[1] < 0 ? -1 : last + 1;
  std::array const three{texel_of_cube(p, {x, y, 0}), texel_of_cube(p, {x_out, y, 0}),
                         texel_of_cube(p, {x, y_out, 0})};
  if (!floats_) return three[0];
  TexelValues mean{};
  for (std::size_t c = 0; c < mean.size(); ++c)
    mean[c] =
        float_bits((float_value(three[0][c]) + float_value(three[1][c]) + float_value(three[2][c])) / 3);
  return mean;
}

Sampler::Index Sampler::nearest(Position const& p) {
  Index at{};
  for (std::size_t k = 0; k < p.dimensions; ++k)
    at[k] = static_cast<std::int64_t>(std::floor(p.at[k]));
  return at;
}

// The position is rounded to 8 bits behind the point, so that a share that rounds to 1 is the next texel.
Sampler::Footprint Sampler::footprint(Position const& p) {
  Footprint f;
  for (std::size_t k = 0; k < p.dimensions; ++k) {
    auto const fixed = static_cast<std::int64_t>(std::floor((p.at[k] - 0.5) * 256 + 0.5));
    f.first[k] = fixed >> 8;
    f.share[k] = static_cast<double>(fixed & 255) / 256;
  }
  return f;
}

Sampler::Sums Sampler::linear(Position const& p) {
  Footprint const f = footprint(p);
  Sums sums{};
  for (std::uint32_t corner = 0; corner < 1u << p.dimensions; ++corner) {
    double weight = 1;
    Index at = f.first;
    for (std::size_t k = 0; k < p.dimensions; ++k) {
      bool const second = (corner >> k & 1) != 0;
      weight *= second ? f.share[k] : 1 - f.share[k];
      at[k] += second ? 1 : 0;
    }
    if (weight == 0) continue; // it may be infinite
    TexelValues const values = texel(p, at);
    for (std::size_t c = 0; c < sums.size(); ++c)
      sums[c] += weight * float_value(values[c]);
  }
  return sums;
}

Sampler::Sums Sampler::of_level(Fetch const& fetch, std::size_t level) {
  Position const p = position(fetch, level);
  if (sampling_.filter == device::Filter::linear) return linear(p);
  TexelValues const values = texel(p, nearest(p));
  return {float_value(values[0]), float_value(values[1]), float_value(values[2]), float_value(values[3])};
}

TexelValues Sampler::fetch(Fetch const& fetch) {
  if (store_.linear) {
    double const x = std::floor(static_cast<double>(fetch.at[0]));
    bool const inside = x >= 0 && x < static_cast<double>(extent(0, 0));
    return inside ? read(0, static_cast<std::uint64_t>(x), 0, 0) : TexelValues{};
  }
  LevelChoice const levels = levels_for(fetch.level, sampling_, store_.levels.size(), floats_);
  if (!floats_ || (sampling_.filter == device::Filter::point && levels.share == 0)) {
    Position const p = position(fetch, levels.first);
    return texel(p, nearest(p));
  }
  Sums sums = of_level(fetch, levels.first);
  if (levels.share != 0) {
    Sums const next = of_level(fetch, levels.first + 1);
    for (std::size_t c = 0; c < sums.size(); ++c)
      sums[c] = sums[c] * (1 - levels.share) + next[c] * levels.share;
  }
  return {float_bits(sums[0]), float_bits(sums[1]), float_bits(sums[2]), float_bits(sums[3])};
}

TexelValues Sampler::fetch(IntegerFetch const& fetch) {
  std::size_t const last = store_.levels.size() - 1;
  std::size_t const level = fetch.level < 0 ? 0 : std::min(static_cast<std::size_t>(fetch.level), last);
  std::array<std::uint64_t, 3> i{0, 0, slice_of(fetch.geometry, fetch.layer, level)};
  for (std::size_t k = 0; k < coordinates_of(fetch.geometry); ++k)
    i[k] = static_cast<std::uint64_t>(fetch.at[k]); // a negative one is beyond all
  for (std::size_t k = 0; k < 3; ++k)
    if (i[k] >= extent(level, k)) return TexelValues{};
  return read(level, i[0], i[1], i[2]);
}

// Counter-clockwise from the lower left: PTX ISA 9.7.10, tld4.
TexelValues Sampler::gather(Fetch const& fetch, std::size_t channel) {
  LevelChoice const levels = levels_for(fetch.level, sampling_, store_.levels.size(), false);
  Position const p = position(fetch, levels.first);
  Index const at = footprint(p).first;
  constexpr std::int64_t places[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  TexelValues gathered{};
  for (std::size_t k = 0; k < gathered.size(); ++k)
    gathered[k] = texel(p, {at[0] + places[k][0], at[1] + places[k][1], 0})[channel];
  return gathered;
}

float Sampler::level_of(Fetch const& fetch, std::array<float, 3> const& by_x,
                        std::array<float, 3> const& by_y) const {
  std::array<std::array<double, 3>, 2> steps{};
  bool const cube = is_cube(fetch.geometry);
  bool const scales = sampling_.normalized_coordinates || cube;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    std::array<float, 3> const& step = axis == 0 ? by_x : by_y;
    std::array<double, 3> along{step[0], step[1], step[2]};
    if (cube) {
      std::array<double, 2> const on_face = cube_step(fetch.at, step);
      along = {on_face[0], on_face[1], 0};
    }
    for (std::size_t k = 0; k < (cube ? 2 : coordinates_of(fetch.geometry)); ++k)
      steps[axis][k] = along[k] * (scales ? static_cast<double>(extent(0, k)) : 1);
  }
  return level_for(steps[0], steps[1]);
}

} // namespace pegasus::software
