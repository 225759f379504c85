// SPDX-License-Identifier: Apache-2.0
#include "policies/xc.h"

#include "policies/testing/timeline.h"

using namespace pegasus::policies;
using namespace pegasus::policies::testing;
using namespace std::chrono_literals;

TEST_CASE("xc: time slices follow the CPU weights, whatever the accelerator credits") {
  XenoCredit policy{{}};
  Timeline line(policy);
  line.domain(1, 1).weight(1, 512).domain(2, 9999).weight(2, 256);
  line.at(0ms).expect(run(1), until(10ms)); // a new domain gets one tick
  line.at(10ms).expect(run(2), until(20ms));
  line.at(20ms).expect(run(1), until(40ms));
  line.at(40ms).expect(run(2), until(50ms));
}

TEST_CASE("xc: a weight changed at the hypervisor counts from the next time slice on") {
  XenoCredit policy{{}};
  Timeline line(policy);
  line.domain(1).domain(2);
  line.at(0ms).expect(run(1), until(10ms));
  line.at(10ms).expect(run(2), until(20ms));
  line.at(20ms).weight(1, 1024).expect(run(1), until(60ms));
}
