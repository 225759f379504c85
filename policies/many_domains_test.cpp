// SPDX-License-Identifier: Apache-2.0
// Time slices are shortened where many domains want the device, and a new one is served soon.
#include "policies/registry.h"
#include "policies/testing/virtual_machine.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

namespace {

std::vector<Guest> equal_guests(DomainId count) {
  std::vector<Guest> guests;
  for (DomainId id = 1; id <= count; ++id)
    guests.push_back({.id = id, .demand = {200us}});
  return guests;
}

template <class Check> void for_all_with_slices(Check check) {
  for (Entry const& entry : registry())
    for (Nanos const hold : {Nanos{0}, automatic_hold})
      if (entry.accounts && entry.exclusive) {
        INFO(entry.name << (hold == automatic_hold ? " hold=auto" : ""));
        check(entry, hold);
      }
}

} // namespace

TEST_CASE("many domains of equal credits wait no longer than longest_wait") {
  for_all_with_slices([](Entry const& entry, Nanos hold) {
    auto const longest = [&](Nanos longest_wait, DomainId count) {
      auto const policy = entry.make({.longest_wait = longest_wait, .hold = hold});
      VirtualMachine machine(*policy, equal_guests(count));
      machine.run(1s);
      machine.mark();
      machine.run(3s);
      CHECK(machine.fairness_of_equals() > 0.8);
      Nanos wait{0};
      for (DomainId id = 1; id <= count; ++id)
        wait = std::max(wait, machine.longest_wait(id));
      return wait;
    };
    CHECK(longest(0ms, 60) > 350ms);
    CHECK(longest(100ms, 60) < 180ms);  // augc and cosched: not in turn
    CHECK(longest(100ms, 300) < 600ms); // no slice is shorter than 1 ms
  });
}
