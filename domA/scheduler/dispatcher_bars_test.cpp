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
  policies::CpuState read(Caller const& caller, Time) override {
    return {.weight = caller.domain == 10 ? 256U : 1024U};
  }
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

TEST_CASE("the time in which the device changes its owner is no overrun") {
  for (Nanos const told : {0ms, 15ms})
    for (Nanos const kernel : {7ms, 20ms}) {
      CAPTURE(told.count(), kernel.count());
      TwoDomains fixture("accc", nullptr, nullptr, told);
      fixture.executes(fixture.b);
      fixture.wait(1ms);
      fixture.becomes(fixture.a, gate::Activity::waiting);
      fixture.finishes(fixture.b, gate::Activity::idle);
      REQUIRE(fixture.a.open());
      fixture.becomes(fixture.a, gate::Activity::running);
      fixture.becomes(fixture.b, gate::Activity::waiting);
      fixture.wait(15ms); // the device changes to its context; its time slice is of 10
      fixture.a.usage.executing_since_ns = static_cast<std::uint64_t>(fixture.now.time_since_epoch().count());
      fixture.wait(kernel);
      fixture.finishes(fixture.a, gate::Activity::waiting);
      // The call may have come to the device at the end of its time slice.
      Nanos const overrun = 5ms + kernel - told;
      Nanos const bar = fixture.dispatcher.conduct(10).barred_until - fixture.now;
      CHECK(std::max<Nanos>(bar, 0ms) == (overrun > 10ms / 4 ? overrun : 0ms));
    }
}
