// SPDX-License-Identifier: Apache-2.0
#include "policies/rr.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("rr: a tick each in turn, credits or not") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1, 256).domain(2, 1024).domain(3, 64);
  line.at(0ms).expect(run(1), until(10ms), ask_again(10ms), because(Reason::arrival));
  line.at(4ms).expect(run(1), until(10ms), because(Reason::unchanged));
  line.at(10ms).expect(run(2), until(20ms), because(Reason::slice_end));
  line.at(20ms).expect(run(3), until(30ms), because(Reason::slice_end));
  line.at(30ms).expect(run(1), until(40ms), because(Reason::slice_end));
}

TEST_CASE("rr: the tick is the tunable's") {
  RoundRobin policy{{.tick = 30ms}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(30ms));
  line.at(30ms).expect(run(2), until(60ms));
}

TEST_CASE("rr: a domain without calls is passed over") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).domain(3);
  line.at(0ms).quiet(2).expect(run(1), until(10ms));
  line.at(10ms).expect(run(3), until(20ms));
  line.at(20ms).expect(run(1), until(30ms));
}

TEST_CASE("rr: an early yield passes the device on at once") {
  RoundRobin policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(3ms).quiet(1).expect(run(2), until(13ms), because(Reason::yield));
  line.at(13ms).expect(run(2), until(23ms), because(Reason::slice_end)); // renewed; its gate stays open
}

TEST_CASE("rr: equal time whatever the credits") {
  RoundRobin policy{{}};
  VirtualMachine machine(policy, {{1, {1ms}, 1024}, {2, {1ms}, 64}, {3, {1ms}, 1}});
  machine.run(3s);
  for (DomainId const id : {1U, 2U, 3U})
    CHECK(machine.received(id) == 1s);
}

TEST_CASE("rr: never more than a tick and a kernel apart") {
  RoundRobin policy{{}};
  VirtualMachine machine(policy, {{1, {7ms}}, {2, {300us}}, {3, {1ms}}});
  for (int step = 0; step < 1000; ++step) {
    machine.run(3ms);
    auto const [least, most] = std::minmax({machine.received(1), machine.received(2), machine.received(3)});
    CHECK(most - least <= 10ms + 7ms);
  }
}
