// SPDX-License-Identifier: Apache-2.0
// What fair and eevdf do alike, which divide the device by credits in slices of 0.6 ticks; and what all do that
// keep accounts.
#include "policies/eevdf.h"
#include "policies/fair.h"
#include "policies/registry.h"
#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEMPLATE_TEST_CASE("a pause of the others does not forgive an overrun", "", FairQueuing, EarliestDeadline) {
  TestType policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1));
  line.at(100ms).expect(run(2)); // a kernel of 100 ms
  CHECK(policy.debt(1) == 100ms);
  line.at(110ms).quiet(2).expect(run(1), because(Reason::yield)); // no other domain has calls
  line.at(110200us).calls(2).expect(run(1));
  line.at(111ms).expect(run(2), because(Reason::arrival));
  line.at(117ms).expect(run(2));
  line.at(150ms).expect(run(2));
  CHECK(policy.debt(1) > 40ms);
}

TEMPLATE_TEST_CASE("what a domain is owed outlasts a bar, and a pause only by a slice", "", FairQueuing,
                   EarliestDeadline) {
  for (bool const barred : {true, false}) {
    TestType policy{{}};
    Timeline line(policy);
    line.domain(1).domain(2);
    line.at(0ms).expect(run(1));
    barred ? line.at(6ms).barred(2) : line.at(6ms).quiet(2);
    line.expect(run(1));
    for (Nanos now = 12ms; now < 60ms; now += 6ms)
      line.at(now).expect(run(1));
    line.at(60ms).calls(2).expect(run(2));
    Nanos now = 60ms; // until the other one has it again
    while (now < 160ms && line.last().run.front() == DomainId(2)) {
      now += 1ms;
      line.at(now).expect();
    }
    Nanos const had = now - 60ms;
    INFO("barred " << barred);
    CHECK((had > 50ms) == barred);
  }
}

TEMPLATE_TEST_CASE("a debt of another policy's is taken over, and an idle device pays it", "", FairQueuing,
                   EarliestDeadline) {
  TestType policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2).in_debt(1, 50ms);
  for (Nanos now = 0ms; now < 48ms; now += 6ms)
    line.at(now).expect(run(2));
  line.at(60ms).expect(run(1));
  TestType idle{{}};
  Timeline pause(idle);
  pause.domain(1).domain(2).in_debt(1, 50ms).quiet(1).quiet(2);
  pause.at(0ms).expect(no_domain());
  pause.at(30ms).expect(no_domain());
  CHECK(idle.debt(1) == 20ms);
}

TEMPLATE_TEST_CASE("with hold a domain that is expected back keeps its slice, and changes become rarer", "",
                   FairQueuing, EarliestDeadline) {
  TestType policy({.hold = 2ms});
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));                     // 5 times what it is worth to wait for
  line.at(1ms).quiet(1).expect(run(2), because(Reason::yield)); // its gaps are not known yet
  line.at(2ms).calls(1).expect(run(2));
  line.at(10ms).expect(run(2)); // behind, but not for 5 holds yet
  line.at(11ms).expect(run(1), because(Reason::slice_end));
  line.at(12ms).quiet(1).expect(run(1), ask_again(14ms)); // twice its last gap
  line.at(13ms).used_extra(1, -1ms).calls(1).expect(run(1), because(Reason::unchanged));
  line.at(14ms).quiet(1).expect(run(1));
  line.at(16ms).used_extra(1, -2ms).expect(run(2), because(Reason::yield)); // it did not come
}

namespace {

// How long a domain waits for its next kernel of a millisecond whose credits change after a long one. Another
// domain, of 256 credits, wants the device all the time.
Nanos wait_after_a_change(Entry const& entry, std::uint32_t before, Nanos long_kernel, std::uint32_t after) {
  auto const policy = entry.make({});
  VirtualMachine machine(*policy,
                         {{.id = 1, .demand = {long_kernel}, .credits = before}, {.id = 2, .demand = {1ms}}});
  while (machine.received(1) < long_kernel)
    machine.run(1ms);
  machine.set_credits(1, after);
  machine.set_demand(1, {1ms});
  Nanos const had = machine.received(1);
  Time const since = machine.now();
  while (machine.received(1) <= had)
    machine.run(1ms);
  return machine.now() - since;
}

} // namespace

TEST_CASE("a change of credits leaves a debt what it is, in device time") {
  for (Entry const& entry : registry()) {
    if (!entry.accounts) continue;
    INFO(entry.name);
    CHECK(wait_after_a_change(entry, 1, 100ms, 65535) < 400ms);
    CHECK(wait_after_a_change(entry, 65535, 5s, 256) > 1s);
  }
}
