// SPDX-License-Identifier: Apache-2.0
#include "policies/testing/view_changes.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace pegasus::policies::testing;

namespace {

std::vector<std::uint32_t> told(std::optional<std::span<std::uint32_t const>> changed) {
  REQUIRE(changed);
  return {changed->begin(), changed->end()};
}

} // namespace

TEST_CASE("view changes: what differs from the last View; nothing can be told when domains come or go") {
  ViewChanges changes;
  std::vector<DomainView> domains(3);
  for (DomainId id = 0; DomainView & domain : domains)
    domain.id = ++id;
  CHECK_FALSE(changes.take(domains));
  CHECK(told(changes.take(domains)).empty());
  domains[0].credits = 7;
  domains[2].calls_waiting = 1;
  CHECK(told(changes.take(domains)) == std::vector<std::uint32_t>{0, 2});
  CHECK(told(changes.take(domains)).empty());

  domains[1].id = 9; // one domain left, another came
  CHECK_FALSE(changes.take(domains));
  CHECK(told(changes.take(domains)).empty());
  domains.pop_back();
  CHECK_FALSE(changes.take(domains));
  changes.forget();
  CHECK_FALSE(changes.take(domains));
}

TEST_CASE("view changes: a change before domains came is not told again") {
  ViewChanges changes;
  std::vector<DomainView> domains(2);
  domains[1].id = 1;
  CHECK_FALSE(changes.take(domains));
  domains[0].credits = 7;
  domains.emplace_back().id = 2;
  CHECK_FALSE(changes.take(domains));
  CHECK(told(changes.take(domains)).empty());
}
