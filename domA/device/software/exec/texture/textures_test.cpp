// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/exec/texture/textures.h"

#include <catch2/catch.hpp>

using namespace pegasus::software;

TEST_CASE("a handle names one texture or one surface until it is removed") {
  Textures textures;
  REQUIRE(textures.count() == 0);
  std::uint64_t const first =
      textures.add({.store = {.dimensions = 2, .levels = {{.width = 5}}}, .sampling = {}});
  std::uint64_t const second = textures.add({});
  std::uint64_t const surface = textures.add_surface({.dimensions = 3, .levels = {{}}});
  REQUIRE(first != 0);
  REQUIRE(second != first);
  REQUIRE(surface != second);
  REQUIRE(surface != first);
  REQUIRE(textures.count() == 3);
  REQUIRE(textures.find(first)->store.levels[0].width == 5);
  REQUIRE(textures.find_surface(surface)->dimensions == 3);
  REQUIRE(textures.find(surface) == nullptr);
  REQUIRE(textures.find_surface(first) == nullptr);
  REQUIRE(textures.find(0) == nullptr);

  REQUIRE_FALSE(textures.remove(surface));
  REQUIRE_FALSE(textures.remove_surface(first));
  REQUIRE(textures.remove(first));
  REQUIRE_FALSE(textures.remove(first));
  REQUIRE(textures.find(first) == nullptr);
  REQUIRE(textures.find(second) != nullptr);
  REQUIRE(textures.add({}) != first);
  REQUIRE(textures.remove_surface(surface));
}
