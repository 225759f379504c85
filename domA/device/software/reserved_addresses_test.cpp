// SPDX-License-Identifier: Apache-2.0
#include "domA/device/software/reserved_addresses.h"

#include <catch2/catch.hpp>

using pegasus::device::mapping_granule;
using pegasus::software::ReservedAddresses;

namespace {

constexpr std::uint64_t step = mapping_granule;
constexpr pegasus::device::Address first = 16 * step;

} // namespace

TEST_CASE("addresses are taken from below, aligned, and once") {
  ReservedAddresses addresses({first + step, 7 * step});
  CHECK(addresses.take(step, 4 * step, 0) == first + 4 * step);
  CHECK(addresses.take(3 * step, step, 0) == first + step);
  CHECK(addresses.take(4 * step, step, 0) == 0);
  CHECK(addresses.take(3 * step, step, 0) == first + 5 * step);
  CHECK(addresses.take(step, step, 0) == 0);
}

TEST_CASE("a hint is followed where all of it is free") {
  ReservedAddresses addresses({first, 8 * step});
  CHECK(addresses.take(2 * step, step, first + 3 * step) == first + 3 * step);
  CHECK(addresses.take(2 * step, step, first + 2 * step) == first);
  CHECK(addresses.take(2 * step, 2 * step, first + 5 * step) == first + 6 * step);
  CHECK(addresses.take(step, step, first + 100 * step) == first + 2 * step);
  CHECK(addresses.take(step, step, ~std::uint64_t{0}) == first + 5 * step);
  CHECK(addresses.take(step, ~(~std::uint64_t{0} >> 1), 0) == 0);
}

TEST_CASE("what is given back joins its neighbours") {
  ReservedAddresses addresses({first, 3 * step});
  for (unsigned i = 0; i < 3; ++i)
    REQUIRE(addresses.take(step, step, 0) == first + i * step);
  addresses.give_back({first, step});
  addresses.give_back({first + 2 * step, step});
  CHECK(addresses.take(3 * step, step, 0) == 0);
  addresses.give_back({first + step, step});
  CHECK(addresses.take(3 * step, step, 0) == first);
}

TEST_CASE("without addresses none are given") {
  ReservedAddresses addresses({});
  CHECK(addresses.take(step, step, 0) == 0);
}
