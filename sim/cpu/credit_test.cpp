// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/credit.h"

#include "sim/cpu/testing/vcpu_pool.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

using CreditPool = testing::VcpuPool<Credit>;

} // namespace

TEST_CASE("vCPUs that always run share a pCPU by weight") {
  CreditPool pool(1);
  auto const one = pool.add({.domain = 1, .weight = 256});
  auto const two = pool.add({.domain = 2, .weight = 512});
  pool.scheduler.wake(one);
  pool.scheduler.wake(two);
  pool.clock.run_until(Time{} + 1s);
  CHECK(pool.share(one) == Approx(1.0 / 3).margin(0.02));
  CHECK(pool.share(two) == Approx(2.0 / 3).margin(0.02));
}

TEST_CASE("a domain of two vCPUs gets the weight of each of them, as in Xen") {
  CreditPool pool(1);
  auto const single = pool.add({.domain = 1});
  auto const first = pool.add({.domain = 2});
  auto const second = pool.add({.domain = 2});
  for (auto const vcpu : {single, first, second})
    pool.scheduler.wake(vcpu);
  pool.clock.run_until(Time{} + 1s);
  CHECK(pool.share(single) == Approx(1.0 / 3).margin(0.02));
}

TEST_CASE("a cap holds on an idle host") {
  CreditPool pool(1);
  auto const capped = pool.add({.domain = 1, .cap = 25});
  pool.scheduler.wake(capped);
  pool.clock.run_until(Time{} + 1s);
  CHECK(pool.share(capped) == Approx(0.25).margin(0.03));
}

TEST_CASE("three vCPUs share two pCPUs, and a pinned one stays where it is") {
  CreditPool pool(2);
  std::vector<CpuScheduler::VcpuId> vcpus;
  for (std::uint32_t domain = 0; domain < 3; ++domain)
    vcpus.push_back(pool.add({.domain = domain}));
  for (auto const vcpu : vcpus)
    pool.scheduler.wake(vcpu);
  pool.clock.run_until(Time{} + 1s);
  CHECK(pool.share(vcpus[2]) == Approx(2.0 / 3).margin(0.05));

  CreditPool pinned(2);
  auto const a = pinned.add({.domain = 1, .pin = {0}});
  auto const b = pinned.add({.domain = 2, .pin = {0}});
  pinned.scheduler.wake(a);
  pinned.scheduler.wake(b);
  pinned.clock.run_until(Time{} + 1s);
  CHECK(pinned.share(a) == Approx(0.5).margin(0.02));
}

TEST_CASE("a vCPU that wakes with credit left runs before one that computes all the time") {
  CreditPool pool(1);
  auto const busy = pool.add({.domain = 1});
  auto const wakes = pool.add({.domain = 2});
  pool.scheduler.wake(busy);
  pool.clock.run_until(Time{} + 95ms);
  Time const woken = pool.clock.now();
  pool.scheduler.wake(wakes);
  pool.clock.run_until(woken + 5ms);
  CHECK(pool.scheduler.state(wakes).running);
  CHECK(pool.vcpus.back().began - woken <= 1ms); // the rate limit
  pool.scheduler.block(wakes);
  pool.clock.run_until(pool.clock.now());
  CHECK(pool.scheduler.state(busy).running);
  CHECK_FALSE(pool.scheduler.state(wakes).runnable);
}

TEST_CASE("a boost brings a waiting vCPU onto its pCPU, but not one without credit") {
  CreditPool pool(1);
  auto const one = pool.add({.domain = 1});
  auto const two = pool.add({.domain = 2});
  pool.scheduler.wake(one);
  pool.clock.run_until(Time{} + 12ms); // past a tick: no longer boosted
  pool.scheduler.wake(two);
  pool.clock.run_until(Time{} + 13ms);
  REQUIRE(pool.scheduler.state(two).running);
  pool.clock.run_until(Time{} + 21ms); // the second one's wake-up counts no more
  REQUIRE(pool.scheduler.state(one).runnable);
  pool.scheduler.boost(one);
  pool.clock.run_until(Time{} + 22ms);
  CHECK(pool.scheduler.state(one).running);
}

TEST_CASE("the ratio of CPU time is that of the weights however long a slice is") {
  for (Nanos const slice : {Nanos(5ms), Nanos(30ms), Nanos(90ms)}) {
    Clock clock;
    Credit credit(clock, {.slice = slice});
    testing::VcpuRecorder a(clock), b(clock);
    auto const heavy = credit.add(a, {.domain = 1, .weight = 768});
    auto const light = credit.add(b, {.domain = 2, .weight = 256});
    credit.wake(heavy);
    credit.wake(light);
    clock.run_until(Time{} + 60s);
    double const ratio = std::chrono::duration<double>(credit.cpu_time(heavy)) / credit.cpu_time(light);
    CHECK(ratio == Approx(3).epsilon(0.05));
  }
}

// A vCPU that woke up has its boost until its pCPU's first tick.
TEST_CASE("pCPUs tick at once, or spread over a tick") {
  for (bool const spread : {false, true})
    for (unsigned const pcpu : {0U, 1U}) {
      INFO("pCPU " << pcpu << (spread ? ", spread" : ", together"));
      CreditPool pool({.pcpus = 2, .ticks_spread = spread});
      pool.add_spinning({.domain = 1, .pin = {pcpu}});
      pool.run(12ms);
      auto const wakes = pool.add_spinning({.domain = 2, .pin = {pcpu}});
      pool.run(1ms);
      bool const ticked = !spread || pcpu == 0; // the second one's tick is at 15 ms
      CHECK(pool.scheduler.state(wakes).running == ticked);
    }
}
