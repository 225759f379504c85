// SPDX-License-Identifier: Apache-2.0
#include "policies/lead.h"

#include "policies/registry.h"
#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

#include <catch2/catch.hpp>

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("lead: where a change costs nothing, all have the device but those ahead of their share") {
  Lead policy({});
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1, 2));
  CHECK_FALSE(line.last().exclusive);
  line.at(1ms).used_extra(2, -1ms).expect(run(1, 2)); // 1 is ahead by 1 ms
  line.at(3ms).used_extra(2, -2ms).expect(run(2));    // by 3 ms: more than a fifth of a tick
  line.at(4ms).expect(run(2));                        // by 2 ms
  line.at(6ms).expect(run(1, 2));
}

TEST_CASE("lead: a domain ahead of its share goes on when the others are not expected back soon") {
  Lead policy({});
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1, 2));
  line.at(5ms).used_extra(2, -5ms).expect(run(2));
  line.at(6ms).quiet(2).expect(run(2)); // after 1 ms of work
  line.at(7ms).used_extra(2, -1ms).expect(run(1, 2));
  line.at(8ms).used_extra(2, -1ms).calls(2).expect(run(2));
}

TEST_CASE("lead: a domain ahead is measured in its own time, by its credits") {
  Lead policy({});
  Timeline line(policy);
  line.domain(1, 1024).domain(2, 256);
  line.at(0ms).expect(run(1, 2));
  line.at(4ms).used_extra(2, -3ms).expect(run(1, 2)); // 4 ms and 1 ms, for 4 : 1
  line.at(5ms).used_extra(1, -1ms).expect(run(1, 2)); // 4 ms and 2 ms: 2 is ahead by 1 ms
  line.at(7ms).used_extra(1, -2ms).expect(run(1));    // 4 ms and 4 ms: by 3 ms
}

TEST_CASE("lead: a domain that was idle is at most two ticks behind") {
  Lead policy({});
  Timeline line(policy);
  line.domain(1).domain(2).quiet(2);
  line.at(0ms).expect(run(1, 2));
  line.at(500ms).used_extra(2, -500ms).calls(2).expect(run(2));
  line.at(518ms).expect(run(2)); // 20 ms behind, less 18 ms
  line.at(519ms).expect(run(1, 2));
}

TEST_CASE("lead: an accelerator that no domain uses costs no looks") {
  Lead policy({});
  Timeline line(policy);
  line.domain(1).domain(2).quiet(2);
  line.at(0ms).expect(run(1, 2), ask_again(1ms));
  line.at(1ms).used_extra(2, -1ms).quiet(1).expect(run(1, 2), ask_again(2ms));
  line.at(101ms).used_extra(1, -100ms).used_extra(2, -100ms).expect(no_domain(), because(Reason::idle),
                                                                    ask_again(1101ms));
  line.at(500ms).calls(2).expect(run(1, 2), ask_again(501ms));
}

TEST_CASE("lead: where a change costs, one domain has the device, also through its gaps") {
  Lead policy({});
  Timeline line(policy);
  line.switch_cost(1ms);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  CHECK(line.last().exclusive);
  line.at(1ms).quiet(1).expect(run(1)); // its gaps are not known yet: for a fiftieth of a tick
  line.at(1200us).used_extra(1, -200us).expect(run(2), because(Reason::yield));
  line.at(2ms).calls(1).expect(run(2));
  line.at(21ms).expect(run(2)); // 20 times the cost: not earlier
  line.at(22ms).expect(run(1), because(Reason::slice_end));
  line.at(23ms).quiet(1).expect(run(1), because(Reason::unchanged)); // back within 2 ms, by its last gap
  line.at(24ms).used_extra(1, -1ms).calls(1).expect(run(1));
}

TEST_CASE("lead: a domain whose program goes to sleep loses the device at once") {
  Lead policy({});
  Timeline line(policy);
  line.switch_cost(1ms);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(1ms).quiet(1).expect(run(1));
  line.at(1200us).used_extra(1, -200us).expect(run(2));
  line.at(2ms).calls(1).expect(run(2));
  line.at(22ms).expect(run(1));
  line.at(23ms).quiet(1).blocked(1, 22500us).expect(run(1), ask_again(23500us)); // its call has just ended
  line.at(23500us).used_extra(1, -500us).blocked(1, 23200us).expect(run(2), because(Reason::yield));
}

TEST_CASE("lead: a domain that waits for its calls is woken when its gate opens, where that happens") {
  Lead policy({});
  Timeline line(policy);
  line.switch_cost(1ms);
  line.domain(1).sync_calls(1, 1);
  line.at(0ms).expect(run(1), wakes(1));
  line.at(1ms).expect(run(1), wakes());
}

TEST_CASE("lead: a program that waits for each call has its share beside one that does not") {
  auto const policy = find("lead")->make({});
  VirtualMachine machine(*policy, {{1, {1ms, 400us}}, {2, {1ms}}, {3, {2ms}}});
  machine.run(5s);
  INFO("shares " << machine.share(1) << ", " << machine.share(2) << ", busy " << machine.busy());
  CHECK(machine.share(1) == Approx(1.0 / 3).margin(0.01));
  CHECK(machine.busy() > 0.85);
}

TEST_CASE("lead: a program that needs less than its share does not keep the others from the rest") {
  for (Nanos const think : {4ms, 20ms}) {
    auto const policy = find("lead")->make({});
    VirtualMachine machine(*policy, {{1, {1ms, think}}, {2, {1ms}}});
    machine.run(5s);
    CHECK(machine.busy() > 0.99);
  }
}

TEST_CASE("lead: shares are those of credits, whatever the lengths of the kernels") {
  for (std::vector<Guest> const& guests :
       {std::vector<Guest>{{1, {1ms}, 1024}, {2, {1ms}, 512}, {3, {1ms}, 256}, {4, {1ms}, 512}},
        std::vector<Guest>{{1, {20ms}}, {2, {1ms}}},
        std::vector<Guest>{{1, {20ms}, 256}, {2, {1ms}, 1024}, {3, {1ms}, 512}}}) {
    auto const policy = find("lead")->make({});
    VirtualMachine one(*policy, guests);
    one.run(5s);
    CHECK(one.fairness_by_credits() >= 0.97);
  }
}
