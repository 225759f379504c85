// SPDX-License-Identifier: Apache-2.0
// What the policies promise about shares of the device, on the tests' virtual machine over seconds
// of virtual time.
#include "policies/testing/virtual_machine.h"

#include "policies/registry.h"

#include <catch2/catch.hpp>

#include <string>

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

namespace {

constexpr Nanos span = 5s;
constexpr double fair_enough = 0.97;

struct Case {
  std::string name;
  std::vector<Guest> guests;
};

// Guests with the same demand and different credits.
std::vector<Guest> guests(std::vector<std::uint32_t> const& credits, Demand demand) {
  std::vector<Guest> result;
  for (DomainId id = 0; std::uint32_t const each : credits)
    result.push_back({++id, demand, each});
  return result;
}

std::vector<Case> cases_by_credits() {
  return {
      {"the paper's example", guests({1024, 512, 256, 512}, {1ms})},
      {"equal credits", guests({256, 256, 256, 256}, {1ms})},
      {"1:2:2:3:3:4", guests({256, 512, 512, 768, 768, 1024}, {1ms})},
      {"300:200", guests({300, 200}, {1ms})},
      {"7:5:3", guests({7, 5, 3}, {700us})},
      {"kernels 20 times as long", {{1, {20ms}}, {2, {1ms}}}},
      {"kernels 20 times as long beside two", {{1, {1ms}}, {2, {20ms}}, {3, {1ms}}}},
      {"long kernels, least credits", {{1, {20ms}, 256}, {2, {1ms}, 1024}, {3, {1ms}, 512}}},
      {"long kernels, most credits", {{1, {20ms}, 1024}, {2, {1ms}, 512}, {3, {1ms}, 256}}},
      {"kernels of no tick's length", {{1, {3700us}, 512}, {2, {900us}, 256}, {3, {11ms}, 256}}},
      {"gaps between kernels", {{1, {1ms, 150us}}, {2, {1ms}}}},
  };
}

} // namespace

TEST_CASE("accc: the share of device time is the share of credits") {
  for (bool const late_totals : {false, true}) {
    for (Case const& each : cases_by_credits()) {
      auto const policy = find("accc")->make({});
      VirtualMachine machine(*policy, each.guests, {.spin = 200us, .late_totals = late_totals});
      machine.run(span);
      INFO(each.name << (late_totals ? ", late totals" : "") << ": MMR " << machine.fairness_by_credits());
      CHECK(machine.fairness_by_credits() >= fair_enough);
    }
  }
}

TEST_CASE("rr: equal device time, within a tick in each round") {
  for (Case const& each : cases_by_credits()) {
    auto const policy = find("rr")->make({});
    VirtualMachine machine(*policy, each.guests, {.spin = 200us});
    machine.run(span);
    INFO(each.name << ": MMR " << machine.fairness_of_equals());
    CHECK(machine.fairness_of_equals() >= fair_enough);
  }
}

TEST_CASE("rr: equal within a tick at the end of any round") {
  auto const policy = find("rr")->make({});
  VirtualMachine machine(*policy, guests({64, 256, 1024}, {1ms}));
  for (int round = 0; round < 100; ++round) {
    machine.mark();
    machine.run(30ms);
    for (DomainId const id : {1U, 2U, 3U}) {
      CHECK(machine.received(id) >= 0ms);
      CHECK(machine.received(id) <= 20ms);
    }
  }
}

TEST_CASE("none: long kernels take it nearly all") {
  auto const policy = find("none")->make({});
  VirtualMachine machine(*policy, {{1, {20ms}}, {2, {1ms}}});
  machine.run(span);
  CHECK(machine.share(1) > 0.9);
  CHECK(machine.fairness_of_equals() < 0.1);
}

TEST_CASE("work conserving policies keep the device busy, and leave a light domain what it wants") {
  for (Entry const& entry : registry()) {
    if (!entry.work_conserving) continue;
    INFO(entry.name);
    auto const policy = entry.make({});
    // The second wants a tenth of the device.
    VirtualMachine machine(*policy, {{1, {1ms}}, {2, {1ms, 9ms}}});
    machine.run(span);
    CHECK(machine.busy() == Approx(1));
    if (entry.accounts || !entry.exclusive) CHECK(machine.share(2) >= 0.08);
  }
}

TEST_CASE("a domain that comes back gets its share again, and no more") {
  for (std::string const name : {"rr", "accc"}) {
    INFO(name);
    auto const policy = find(name)->make({});
    VirtualMachine machine(*policy, guests({256, 256, 256}, {1ms}));
    machine.run(1s);
    machine.set_active(2, false);
    machine.run(3s);
    machine.set_active(2, true);
    machine.mark();
    machine.run(span);
    CHECK(machine.fairness_of_equals() >= fair_enough);
  }
}

TEST_CASE("a change of demand does not upset the shares") {
  auto const policy = find("accc")->make({});
  VirtualMachine machine(*policy, guests({512, 256}, {1ms}));
  for (Nanos const kernel : {Nanos{20ms}, Nanos{300us}, Nanos{7ms}}) {
    machine.set_demand(2, {kernel});
    machine.mark();
    machine.run(span);
    CHECK(machine.fairness_by_credits() >= fair_enough);
  }
}
