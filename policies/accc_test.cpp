// SPDX-License-Identifier: Apache-2.0
#include "policies/accc.h"

#include "policies/testing/timeline.h"
#include "policies/testing/virtual_machine.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("accc: the paper's example, credits 1024 512 256 512, is 4 2 1 2 ticks, highest first") {
  AccCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 1024).domain(2, 512).domain(3, 256).domain(4, 512);
  // A new domain gets one tick.
  line.at(0ms).expect(run(1), until(10ms), because(Reason::arrival));
  line.at(10ms).expect(run(2), until(20ms), because(Reason::slice_end));
  line.at(20ms).expect(run(4), until(30ms));
  line.at(30ms).expect(run(3), until(40ms));
  for (Nanos const round : {40ms, 130ms, 220ms}) {
    line.at(round).expect(run(1), until(round + 40ms));
    line.at(round + 40ms).expect(run(2), until(round + 60ms));
    line.at(round + 60ms).expect(run(4), until(round + 80ms));
    line.at(round + 80ms).expect(run(3), until(round + 90ms));
  }
}

TEST_CASE("accc: without device context a domain gets one tick") {
  AccCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 1024).domain(2, 256);
  line.at(0ms).context(1, false).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  line.at(20ms).expect(run(1), until(30ms));
  line.at(30ms).expect(run(2), until(40ms));
  line.at(40ms).context(1, true).expect(run(1), until(80ms));
}

TEST_CASE("accc: ratios that are not whole numbers keep their fractions") {
  AccCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 300).domain(2, 200);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  line.at(20ms).expect(run(1), until(35ms));
  line.at(35ms).expect(run(2), until(45ms));
}

TEST_CASE("accc: an absurd ratio shortens all time slices, not the shares") {
  AccCredit policy{{}};
  VirtualMachine machine(policy, {{1, {100us}, 65535}, {2, {100us}, 655}});
  machine.run(1s); // the first time slices are a tick
  machine.mark();
  machine.run(100s);
  CHECK(machine.share(2) == Approx(655.0 / (65535 + 655)).epsilon(0.03));
  CHECK(machine.longest_wait(1) <= 3ms);
  CHECK(machine.longest_wait(2) <= 400ms);
}

TEST_CASE("accc: credits 65535 to 1 give a slice of a fraction of a second") {
  AccCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 65535).domain(2, 1);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  line.at(20ms).expect(run(1), until(180ms));
  line.at(180ms).expect(run(1), until(340ms),
                        because(Reason::slice_end)); // the other domain's minimum granularity is not due yet
}

TEST_CASE("accc: credits of zero count as one") {
  AccCredit policy{{}};
  VirtualMachine machine(policy, {{1, {1ms}, 0}, {2, {1ms}, 3}});
  machine.run(4s);
  CHECK(machine.share(2) == Approx(0.75).margin(0.01));
}

TEST_CASE("accc: changed credits count from the next time slice on") {
  AccCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 256).domain(2, 256);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  line.at(20ms).credits(2, 512).expect(run(2), until(40ms)); // ahead in the queue now
  line.at(40ms).expect(run(1), until(50ms));
}

TEST_CASE("accc: other schemes take other credits") {
  AccCredit policy{{}, [](DomainView const& domain) { return 257 - domain.credits; }};
  VirtualMachine machine(policy, {{1, {1ms}, 256}, {2, {1ms}, 254}}); // 1 and 3
  machine.run(4s);
  CHECK(machine.share(2) == Approx(0.75).margin(0.01));
}
