// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/holders.h"

#include <catch2/catch.hpp>

using namespace pegasus::residency;

TEST_CASE("a turn copies in what another domain, or nobody, has in its slots") {
  Holders holders;
  CHECK(holders.take(1, {{0, 4}}) == Copies{.in = 4, .out = 0});
  CHECK(holders.take(1, {{0, 4}}) == Copies{});
  CHECK(holders.take(2, {{2, 4}}) == Copies{.in = 4, .out = 2});
  CHECK(holders.take(1, {{0, 4}}) == Copies{.in = 2, .out = 2});
  CHECK(holders.take(2, {{2, 4}}) == Copies{.in = 2, .out = 2});
  CHECK(holders.take(3, {{0, 1}, {5, 3}}) == Copies{.in = 4, .out = 2});
  CHECK(holders.take(1, {{0, 4}}) == Copies{.in = 3, .out = 3});
}

TEST_CASE("what a domain leaves behind is copied by nobody") {
  Holders holders;
  (void)holders.take(1, {{0, 2}});
  (void)holders.take(2, {{2, 2}});
  holders.forget(1);
  CHECK(holders.take(3, {{1, 2}}) == Copies{.in = 2, .out = 1});
}
