// SPDX-License-Identifier: Apache-2.0
// Against the formulas of the CUDA C++ Programming Guide, "Texture Fetching", written out one by one.
#include "domA/device/software/exec/texture/sampler.h"

#include "domA/device/software/exec/test_textures.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::AddressMode;
using pegasus::device::Filter;
using pegasus::device::Sampling;
using pegasus::device::TexelFormat;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float border_value = -7.25f;

Sampling sampling(AddressMode mode, bool normalized, Filter filter) {
  Sampling s;
  s.address = {mode, mode, mode};
  s.normalized_coordinates = normalized;
  s.filter = filter;
  s.border = {border_value, 0, 0, 0};
  return s;
}

struct Bench {
  explicit Bench(TexelStore const& from, Sampling const& with) : store(from), how(with) {}
  TexelValues all(Fetch const& fetch) {
    TexelReader reader(*memory, store);
    Sampler sampler(how, reader);
    TexelValues const values = sampler.fetch(fetch);
    REQUIRE_FALSE(reader.failed());
    return values;
  }
  float first(Fetch const& fetch) { return std::bit_cast<float>(all(fetch)[0]); }

  TexelStore store;
  Sampling how;
  Memory* memory = nullptr;
};

Bench bench(Memory& memory, TexelStore const& store, Sampling const& how) {
  Bench b(store, how);
  b.memory = &memory;
  return b;
}

double fraction(double x) { return x - std::floor(x); }

// The guide's x in [0, N): what an address mode makes of a coordinate.
double addressed(float coordinate, double n, AddressMode mode, bool normalized) {
  double x = static_cast<double>(coordinate);
  if (normalized && mode == AddressMode::wrap) x = fraction(x);
  if (normalized && mode == AddressMode::mirror) {
    bool const even = std::fmod(std::floor(x), 2) == 0;
    x = even ? fraction(x) : 1 - fraction(x);
  }
  return normalized ? n * x : x;
}

// T[i] of a texture whose texel i is i * i; a mode that needs normalized coordinates is clamp without them.
double texel(double i, double n, AddressMode mode, bool normalized) {
  if (mode == AddressMode::border && (i < 0 || i >= n)) return static_cast<double>(border_value);
  if (mode == AddressMode::wrap && normalized) i = std::fmod(std::fmod(i, n) + n, n);
  i = std::min(std::max(i, 0.0), n - 1);
  return i * i;
}

double point(float x, double n, AddressMode mode, bool normalized) {
  return texel(std::floor(addressed(x, n, mode, normalized)), n, mode, normalized);
}

double linear(float x, double n, AddressMode mode, bool normalized) {
  double const xb = addressed(x, n, mode, normalized) - 0.5;
  double const i = std::floor(xb), alpha = std::floor(fraction(xb) * 256 + 0.5) / 256;
  return (1 - alpha) * texel(i, n, mode, normalized) + alpha * texel(i + 1, n, mode, normalized);
}

constexpr AddressMode modes[] = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror,
                                 AddressMode::border};

} // namespace

TEST_CASE("one dimension is as in the guide's formulas, in all modes") {
  for (std::uint64_t const n : {1u, 5u, 8u}) {
    Memory memory{1u << 20};
    std::vector<float> squares;
    for (std::uint64_t i = 0; i < n; ++i)
      squares.push_back(static_cast<float>(i * i));
    TexelStore const store = make_store(memory, one_float, 1, {n, 1, 1}, squares);
    for (AddressMode const mode : modes)
      for (bool const normalized : {false, true}) {
        Bench points = bench(memory, store, sampling(mode, normalized, Filter::point));
        Bench lines = bench(memory, store, sampling(mode, normalized, Filter::linear));
        auto const count = static_cast<double>(n);
        for (int step = -3000; step <= 3000; ++step) {
          float const x = static_cast<float>(step) / (normalized ? 1009.0f : 101.0f);
          CAPTURE(n, static_cast<int>(mode), normalized, x);
          REQUIRE(points.first({.at = {x}}) == static_cast<float>(point(x, count, mode, normalized)));
          REQUIRE(lines.first({.at = {x}}) == static_cast<float>(linear(x, count, mode, normalized)));
        }
      }
  }
}

TEST_CASE("two and three dimensions are filtered in each of them") {
  Memory memory{1u << 20};
  TexelStore const plane = numbered(memory, 2, {6, 5, 1}), volume = numbered(memory, 3, {6, 5, 4});
  Bench flat = bench(memory, plane, sampling(AddressMode::clamp, false, Filter::linear));
  Bench deep = bench(memory, volume, sampling(AddressMode::clamp, false, Filter::linear));
  // The texels are a linear function of their places, so that the filter gives it back: x - 0.5, in 256ths.
  CHECK(flat.first({.geometry = Geometry::d2, .at = {2.75f, 3.5f}}) == 32.25f);
  CHECK(flat.first({.geometry = Geometry::d2, .at = {2.5f, 3.75f}}) == 32 + 2.5f);
  CHECK(deep.first({.geometry = Geometry::d3, .at = {1.75f, 2.25f, 1.75f}}) == 1.25f + 17.5f + 125);
  CHECK(deep.first({.geometry = Geometry::d3, .at = {-5, -5, 100}}) == 300);
  Bench nearest = bench(memory, volume, sampling(AddressMode::clamp, false, Filter::point));
  CHECK(nearest.first({.geometry = Geometry::d3, .at = {1.99f, 2.0f, 3.5f}}) == 321);
  Bench wrapping = bench(memory, volume, sampling(AddressMode::wrap, true, Filter::point));
  CHECK(wrapping.first({.geometry = Geometry::d3, .at = {1.5f, -0.1f, 2.3f}}) == 3 + 40 + 100);
}

TEST_CASE("a weight of 255.5 of 256 and more is 1") {
  Memory memory{1u << 20};
  TexelStore const store = make_store<float>(memory, one_float, 1, {3, 1, 1}, {5, 6, infinite});
  Bench lines = bench(memory, store, sampling(AddressMode::clamp, false, Filter::linear));
  CHECK(lines.first({.at = {1.5f}}) == 6); // and a texel of weight 0 does not count
  CHECK(lines.first({.at = {0.5f + 255.6f / 256}}) == 6);
  CHECK(lines.first({.at = {0.5f + 255.4f / 256}}) == 5 + 255.0f / 256);
  CHECK(lines.first({.at = {0.5f + 0.4f / 256}}) == 5);
}

TEST_CASE("any coordinate and level reads some texel") {
  Memory memory{1u << 20};
  TexelStore store = numbered(memory, 3, {7, 5, 3});
  store.levels.push_back(make_numbered(memory, {3, 2, 1}, 1));
  float const odd[] = {0,      -0.0f,         1,       not_a_number, infinite, -infinite,   1e38f,  -1e38f,
                       1e-45f, 2147483648.0f, 9.3e18f, -9.3e18f,     0.5f,     16777217.0f, -1e-30f};
  for (AddressMode const mode : modes)
    for (bool const normalized : {false, true})
      for (Filter const filter : {Filter::point, Filter::linear}) {
        Sampling s = sampling(mode, normalized, filter);
        s.mipmap_filter = filter;
        s.mipmap_most = 5;
        Bench b = bench(memory, store, s);
        for (float const x : odd)
          for (float const y : odd)
            for (Geometry const g : {Geometry::d1, Geometry::d2, Geometry::d3, Geometry::a1d, Geometry::a2d,
                                     Geometry::cube, Geometry::acube}) {
              Fetch fetch{.geometry = g, .layer = 0xffffffff, .at = {x, y, x}, .level = y};
              fetch.offset = {std::numeric_limits<std::int32_t>::min(), 0,
                              std::numeric_limits<std::int32_t>::max()};
              static_cast<void>(b.all(fetch));
              TexelReader reader(memory, b.store);
              Sampler sampler(b.how, reader);
              fetch.level = sampler.level_of(fetch, {x, y, x}, {y, x, y});
              static_cast<void>(sampler.fetch(fetch));
              static_cast<void>(sampler.gather(fetch, 3));
            }
      }
  Bench clamped = bench(memory, store, sampling(AddressMode::clamp, false, Filter::point));
  CHECK(clamped.first({.at = {infinite}}) == 6);
  CHECK(clamped.first({.at = {-infinite}}) == 0);
  CHECK(clamped.first({.at = {not_a_number}}) == 0);
  CHECK(clamped.first({.at = {1e38f}}) == 6);
}

TEST_CASE("layers are clamped, and offsets are texels") {
  Memory memory{1u << 20};
  TexelStore store = numbered(memory, 2, {4, 4, 3});
  store.layered = true;
  Bench b = bench(memory, store, sampling(AddressMode::wrap, true, Filter::point));
  CHECK(b.first({.geometry = Geometry::a2d, .layer = 1, .at = {0.3f, 0.6f}}) == 121);
  CHECK(b.first({.geometry = Geometry::a2d, .layer = 3, .at = {0.3f, 0.6f}}) == 221);
  CHECK(b.first({.geometry = Geometry::a2d, .layer = 0xffffffff, .at = {0.3f, 0.6f}}) == 221);
  CHECK(b.first({.geometry = Geometry::a1d, .layer = 2, .at = {0.3f}}) == 201);
  CHECK(b.first({.geometry = Geometry::a2d, .layer = 0, .at = {0.3f, 0.6f}, .offset = {-2, 3, 0}}) == 3 + 10);
}

TEST_CASE("integer coordinates read single texels, and nothing out of range") {
  Memory memory{1u << 20};
  TexelStore store = numbered(memory, 3, {4, 3, 2});
  store.levels.push_back(make_numbered(memory, {2, 1, 1}, 1));
  Sampling const s = sampling(AddressMode::wrap, true, Filter::linear);
  TexelReader reader(memory, store);
  Sampler sampler(s, reader);
  auto const read = [&](IntegerFetch const& fetch) { return sampler.fetch(fetch); };
  TexelValues const nothing{};
  auto const value = [](float v) { return TexelValues{std::bit_cast<std::uint32_t>(v), 0, 0, 0x3f800000}; };
  CHECK(read({.geometry = Geometry::d1, .at = {3}}) == value(3));
  CHECK(read({.geometry = Geometry::d1, .at = {4}}) == nothing);
  CHECK(read({.geometry = Geometry::d1, .at = {-1}}) == nothing);
  CHECK(read({.geometry = Geometry::d3, .at = {1, 2, 1}}) == value(121));
  CHECK(read({.geometry = Geometry::d3, .at = {1, 2, 2}}) == nothing);
  CHECK(read({.geometry = Geometry::d2, .at = {1, 0, 0}, .level = 1}) == value(1001));
  CHECK(read({.geometry = Geometry::d2, .at = {2, 0, 0}, .level = 1}) == nothing);
  CHECK(read({.geometry = Geometry::d2, .at = {1, 0, 0}, .level = 9}) == value(1001));
  CHECK(read({.geometry = Geometry::d2, .at = {2, 0, 0}, .level = -9}) == value(2));
  CHECK(read({.geometry = Geometry::a2d, .layer = 77, .at = {2, 1, 0}}) == value(112));
}

TEST_CASE("integers are read as they are, at the nearest texel") {
  Memory memory{1u << 20};
  Sampling s = sampling(AddressMode::border, true, Filter::linear);
  s.reads_integers = true;
  TexelStore const store =
      make_store<std::int8_t>(memory, {TexelFormat::s8, 2}, 1, {2, 1, 1}, {1, -2, 3, -128});
  Bench b = bench(memory, store, s);
  CHECK(b.all({.at = {0.25f}}) == TexelValues{1, 0xfffffffe, 0, 1});
  CHECK(b.all({.at = {0.5f}}) == TexelValues{3, 0xffffff80, 0, 1});
  CHECK(b.all({.at = {1.5f}}) == TexelValues{std::bit_cast<std::uint32_t>(border_value), 0, 0, 1});
}

TEST_CASE("a gather reads the four texels of a linear filter") {
  Memory memory{1u << 20};
  TexelStore const store = numbered(memory, 2, {4, 4, 1});
  Sampling const s = sampling(AddressMode::clamp, false, Filter::point);
  TexelReader reader(memory, store);
  Sampler sampler(s, reader);
  auto const gathered = [&](float x, float y) {
    TexelValues const v = sampler.gather({.geometry = Geometry::d2, .at = {x, y}}, 0);
    return std::array{std::bit_cast<float>(v[0]), std::bit_cast<float>(v[1]), std::bit_cast<float>(v[2]),
                      std::bit_cast<float>(v[3])};
  };
  CHECK(gathered(2, 2) == std::array{21.0f, 22.0f, 12.0f, 11.0f});
  CHECK(gathered(0, 0) == std::array{0.0f, 0.0f, 0.0f, 0.0f});
  CHECK(gathered(4, 2) == std::array{23.0f, 23.0f, 13.0f, 13.0f});
  // The guide's example of what the coordinates' 8 bits do: 2.49805 is as 2.5.
  CHECK(gathered(2.49805f, 2) == std::array{22.0f, 23.0f, 13.0f, 12.0f});
  TexelValues const absent = sampler.gather({.geometry = Geometry::d2, .at = {2, 2}}, 3);
  CHECK(absent == TexelValues{0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000});
}

TEST_CASE("memory of a texture that is gone is told, and none is read") {
  Memory memory{1u << 20};
  TexelStore const store = numbered(memory, 2, {4, 4, 1});
  REQUIRE(memory.free(store.levels[0].base));
  Sampling const s = sampling(AddressMode::clamp, false, Filter::point);
  TexelReader reader(memory, store);
  Sampler sampler(s, reader);
  CHECK(sampler.fetch(Fetch{.geometry = Geometry::d2, .at = {1, 2}}) == TexelValues{});
  CHECK(reader.failed());
  CHECK(reader.missing() == store.levels[0].base + 2 * store.levels[0].row_bytes + 4);
}

TEST_CASE("a plane that is only partly there is read where it is") {
  Memory memory{1u << 20};
  TexelStore store = numbered(memory, 2, {4, 4, 1});
  store.levels[0].height = 1u << 20;
  Sampling const s = sampling(AddressMode::clamp, false, Filter::point);
  TexelReader reader(memory, store);
  Sampler sampler(s, reader);
  CHECK(sampler.fetch(Fetch{.geometry = Geometry::d2, .at = {1, 2}})[0] ==
        std::bit_cast<std::uint32_t>(21.0f));
  CHECK_FALSE(reader.failed());
  static_cast<void>(sampler.fetch(Fetch{.geometry = Geometry::d2, .at = {1, 1e6f}}));
  CHECK(reader.failed());
}
