// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/slots.h"

#include <catch2/catch.hpp>

using namespace pegasus::residency;

TEST_CASE("regions are the runs of slots that the same domains have") {
  std::vector<Place> const places{{{0, 4}}, {{1, 2}, {6, 2}}, {}};
  auto const regions = regions_of(8, places);
  REQUIRE(regions.size() == 5);
  CHECK(regions[0].extent == Extent{0, 1});
  CHECK(regions[1].extent == Extent{1, 2});
  CHECK(regions[1].domains == std::vector<std::size_t>{0, 1});
  CHECK(regions[3].extent == Extent{4, 2});
  CHECK(regions[3].domains.empty());
  CHECK(regions[4].domains == std::vector<std::size_t>{1});
  CHECK(shared_slots(regions) == 2);
  CHECK(any_free(regions));
  CHECK(regions_of(0, {}).empty());
}

TEST_CASE("a place is valid if it is ordered, within the slots and as large as is wanted") {
  CHECK(is_valid({{0, 2}, {4, 1}}, 3, 5));
  CHECK(is_valid({}, 0, 5));
  CHECK_FALSE(is_valid({{0, 2}, {4, 1}}, 4, 5));
  CHECK_FALSE(is_valid({{0, 2}, {4, 2}}, 4, 5));
  CHECK_FALSE(is_valid({{2, 2}, {0, 1}}, 3, 5));
  CHECK_FALSE(is_valid({{0, 2}, {1, 2}}, 4, 5));
  CHECK_FALSE(is_valid({{0, 3}, {3, 0}}, 3, 5));
  CHECK_FALSE(is_valid({{1, ~std::uint64_t{0}}}, 0, 5));
  CHECK_FALSE(is_valid({{~std::uint64_t{0}, 2}}, 2, 5));
}

TEST_CASE("adjacent extents become one, and a move counts the slots that are new") {
  CHECK(ordered({{4, 2}, {0, 2}, {2, 1}, {7, 0}}) == Place{{0, 3}, {4, 2}});
  CHECK(count({{0, 3}, {4, 2}}) == 5);
  CHECK(new_slots({{0, 3}, {4, 2}}, {{2, 3}}) == 3);
  CHECK(new_slots({{0, 3}}, {}) == 3);
}
