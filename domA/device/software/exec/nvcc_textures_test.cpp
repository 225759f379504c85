// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of CUDA's functions on textures and surfaces.
#include "domA/device/software/exec/program.h"

#include "domA/device/software/exec/test_fixture.h"
#include "domA/device/software/exec/test_textures.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

using namespace pegasus::software;
using namespace pegasus::software::test;
using pegasus::device::Filter;
using pegasus::device::TexelFormat;
using u8 = std::uint8_t;
using u64 = std::uint64_t;
using Float4 = std::array<float, 4>;

namespace {

std::string ptx() {
  std::string const variant = GENERATE("optimised", "debug");
  std::ifstream in(std::string(PEGASUS_TEST_PTX_DIR) + "/textures_" + variant + ".ptx");
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Levels of 8, 4 and 2 texels in two dimensions.
Texture numbered_levels(Memory& memory, std::uint32_t dimensions, u64 slices) {
  Texture t;
  t.store = numbered(memory, dimensions, {8, 8, slices});
  t.store.levels.push_back(make_numbered(memory, {4, 4, slices}, 1));
  t.store.levels.push_back(make_numbered(memory, {2, 2, slices}, 2));
  t.sampling.filter = t.sampling.mipmap_filter = Filter::linear;
  t.sampling.normalized_coordinates = true;
  t.sampling.mipmap_most = 2;
  return t;
}

// The middle of a level.
constexpr float middle0 = 3.5f * 11, middle1 = 1000 + 1.5f * 11, middle2 = 2000 + 0.5f * 11;

} // namespace

TEST_CASE("textures of one to three dimensions") {
  Fixture fixture(ptx());
  Texture row{numbered(fixture.memory, 1, {8, 1, 1}), {}};
  row.store.linear = true;
  u64 const of_row = fixture.textures.add(row);
  u64 const of_plane = fixture.textures.add(numbered_levels(fixture.memory, 2, 1));
  u64 const of_volume = fixture.textures.add(numbered_levels(fixture.memory, 3, 3));
  Address const out = fixture.put(std::vector<Float4>(7));
  fixture.run("fetches", {1, 1, 1}, {1, 1, 1}, {of_row, of_plane, of_volume, out});
  auto const v = fixture.get<Float4>(out, 7);
  CHECK(v[0] == Float4{5, 0, 0, 1});
  CHECK(v[1] == Float4{0, 0, 7, 0});
  CHECK(v[2] == Float4{2, 32, 132, 0});
  CHECK(v[3] == Float4{1001.5f, middle1, middle2 + 100, 0});
  CHECK(v[4] == Float4{1001.5f, middle1, middle1 + 100, 0}); // a step of two texels
  CHECK(v[5] == Float4{43, 44, 34, 33});
  CHECK(v[6] == Float4{32, 1, 0, 0});
}

TEST_CASE("layered textures and cubemaps") {
  Fixture fixture(ptx());
  Texture layers = numbered_levels(fixture.memory, 2, 3);
  layers.store.layered = true;
  Texture cubes{numbered(fixture.memory, 2, {4, 4, 12}), {}};
  cubes.store.layered = cubes.store.cubemap = true;
  cubes.sampling.normalized_coordinates = true;
  Address const out = fixture.put(std::vector<Float4>(4));
  fixture.run("arrays", {1, 1, 1}, {1, 1, 1},
              {fixture.textures.add(layers), fixture.textures.add(cubes), out});
  auto const v = fixture.get<Float4>(out, 4);
  CHECK(v[0] == Float4{202, 132, 232, 0});
  CHECK(v[1] == Float4{1101.5f, middle1 + 100, 1101.5f, middle1 + 100});
  // s and t over m are -1/2, -1/4; of -x: 1/2, -1/4; of +y: 1/4, 1/2; of -y: 1/4, -1/2.
  CHECK(v[2] == Float4{11, 611, 11, 713});
  CHECK(v[3] == Float4{232, 912, 0, 0});
}

TEST_CASE("an image from a texture to a surface") {
  Fixture fixture(ptx());
  constexpr u64 width = 20, height = 9;
  std::vector<std::array<u8, 4>> image(width * height);
  for (u64 i = 0; i < image.size(); ++i)
    image[i] = {static_cast<u8>(i), static_cast<u8>(i + 1), 7, static_cast<u8>(255 - i)};
  Texture from{make_store(fixture.memory, {TexelFormat::u8, 4}, 2, {width, height, 1}, image), {}};
  from.sampling.reads_integers = true;
  TexelStore const to = make_store(fixture.memory, {TexelFormat::u8, 4}, 2, {width, height, 1},
                                   std::vector<std::array<u8, 4>>(image.size()));
  fixture.run("flips", {2, 1, 1}, {16, 16, 1},
              {fixture.textures.add(from), fixture.textures.add_surface(to), width, height});
  for (u64 y = 0; y < height; ++y) {
    auto const row = fixture.get<std::array<u8, 4>>(to.levels[0].base + y * to.levels[0].row_bytes, width);
    for (u64 x = 0; x < width; ++x) {
      std::array<u8, 4> expected = image[(height - 1 - y) * width + x];
      expected[0] = static_cast<u8>(expected[0] * 2);
      REQUIRE(row[x] == expected);
    }
  }
}

TEST_CASE("surfaces of every shape") {
  Fixture fixture(ptx());
  TexelStore const store = make_store(fixture.memory, one_float, 2, {4, 2, 12}, std::vector<float>(96));
  Address const out = fixture.put(std::vector<float>(9));
  fixture.run("surfaces", {1, 1, 1}, {1, 1, 1}, {fixture.textures.add_surface(store), out});
  CHECK(fixture.get<float>(out, 9) == std::vector<float>{1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f, 0, 2.5f});
}
