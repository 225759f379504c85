// SPDX-License-Identifier: Apache-2.0
// The dispatcher: for how long a domain is barred that kept others waiting (back_off.h).
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

namespace {

// The second domain has four times the first one's CPU weight.
struct FourfoldWeight final : CpuSchedule {
  void fill(policies::DomainView& view, Time) override { view.cpu_weight = view.id == 10 ? 256 : 1024; }
};

} // namespace

TEST_CASE("a bar is as long as the others' parts ask, by what the policy divides by") {
  FourfoldWeight cpus;
  for (policies::Entry const& entry : policies::registry()) {
    if (!entry.exclusive || !entry.accounts) continue;
    INFO(entry.name);
    TwoDomains fixture(entry.name, &cpus);
    fixture.dispatcher.set_domain(20, {.credits = 512});
    fixture.point();
    fixture.executes(fixture.a);
    fixture.becomes(fixture.b, gate::Activity::waiting);
    while (fixture.a.open())
      fixture.wait(1ms);
    Time const closed = fixture.now;
    fixture.wait(200ms);
    fixture.finishes(fixture.a, gate::Activity::waiting);
    double const bar =
        static_cast<double>((fixture.dispatcher.conduct(10).barred_until - fixture.now).count());
    double const overrun = static_cast<double>((fixture.now - closed).count());
    double const ratio = entry.divides_by == policies::equal_credits ? 1
                         : entry.divides_by == policies::cpu_weight  ? 4
                                                                     : 2;
    CHECK(bar / overrun == Approx(ratio).epsilon(0.1));
  }
}
