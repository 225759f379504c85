// SPDX-License-Identifier: Apache-2.0
// What fair and eevdf do alike: both divide the device by credits in slices of 0.6 ticks.
#include "policies/eevdf.h"
#include "policies/fair.h"
#include "policies/testing/timeline.h"

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
