// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/domains.h"

#include <catch2/catch.hpp>

using namespace pegasus::daemon;

namespace {

Domain& guest(Domains& domains, std::uint32_t id, std::string const& name) {
  auto const added = domains.add_guest(id, name);
  REQUIRE(added);
  return **added;
}

} // namespace

TEST_CASE("a guest that is renamed stays the domain it was") {
  Domains domains;
  Domain& g1 = guest(domains, 1, "g1");
  g1.settings.credits = 512;
  domains.rename(g1, "other");
  CHECK(domains.named("g1") == nullptr);
  CHECK(domains.named("other") == &g1);
  CHECK(domains.of_guest(1) == &g1);
  CHECK(g1.settings.credits == 512);
}

TEST_CASE("rename, create and destroy leave the other guest unchanged") {
  Domains domains;
  Domain& first = guest(domains, 1, "g1");
  domains.rename(first, "other");
  Domain& second = guest(domains, 2, "g1");
  CHECK(&second != &first);
  CHECK(second.id != first.id);
  domains.erase(second);
  CHECK(domains.of_guest(2) == nullptr);
  CHECK(domains.of_guest(1) == &first);
  CHECK(first.name == "other");
}

TEST_CASE("two guests of one name are told apart by their ids, until the name is free") {
  Domains domains;
  Domain& first = guest(domains, 1, "web");
  Domain& second = guest(domains, 2, "web");
  CHECK(first.name == "web");
  CHECK(second.name == "web:2");
  CHECK(domains.named("web:2") == &second);
  domains.erase(first);
  CHECK(second.name == "web");
  CHECK(domains.named("web") == &second);
  CHECK(domains.named("web:2") == nullptr);
}

TEST_CASE("a local domain of a guest's name stays another domain") {
  Domains domains;
  REQUIRE(domains.add("g7"));
  Domain& of_xen = guest(domains, 7, "g7");
  CHECK(of_xen.name == "g7:7");
  CHECK_FALSE(domains.named("g7")->guest);
}

TEST_CASE("an incoming guest takes over the name when its migration has ended") {
  Domains domains;
  Domain& here = guest(domains, 4, "m");
  Domain& comes = guest(domains, 5, "m--incoming");
  domains.rename(here, "m--migratedaway");
  domains.rename(comes, "m");
  CHECK(comes.name == "m");
  CHECK(domains.named("m") == &comes);
}

TEST_CASE("a guest without a usable name is called by its id") {
  Domains domains;
  CHECK(guest(domains, 3, "").name == "dom3");
  CHECK(guest(domains, 4, "a name\n").name == "dom4");
  domains.rename(*domains.of_guest(4), "better");
  CHECK(domains.named("better") == domains.of_guest(4));
}

TEST_CASE("the number of domains is limited") {
  Domains domains;
  for (std::size_t i = 0; i < Domains::most; ++i)
    REQUIRE(domains.add("d" + std::to_string(i)));
  auto const more = domains.add("more");
  REQUIRE_FALSE(more);
  CHECK(more.error() == "there are 1024 domains, the limit: remove one or end its programs");
}
