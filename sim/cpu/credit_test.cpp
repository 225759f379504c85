// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/credit.h"

#include <catch2/catch.hpp>
#include <list>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

struct VcpuRecorder final : Vcpu {
  explicit VcpuRecorder(Clock const& of) : clock(of) {}
  void on_cpu() override { began = clock.now(); }
  void off_cpu() override { ended = clock.now(); }
  Clock const& clock;
  Time began{}, ended{};
};

struct Pool {
  explicit Pool(unsigned pcpus) : credit(clock, {.pcpus = pcpus}) {}
  CpuScheduler::VcpuId add(VcpuSettings const& settings) {
    vcpus.emplace_back(clock);
    return credit.add(vcpus.back(), settings);
  }
  // Its part of one pCPU in the next seconds.
  double share(CpuScheduler::VcpuId vcpu, Nanos span = 10s) {
    Nanos const before = credit.cpu_time(vcpu);
    clock.run_until(clock.now() + span);
    return std::chrono::duration<double>(credit.cpu_time(vcpu) - before) / span;
  }
  Clock clock;
  Credit credit;
  std::list<VcpuRecorder> vcpus;
};

} // namespace

TEST_CASE("vCPUs that always run share a pCPU by weight") {
  Pool pool(1);
  auto const one = pool.add({.domain = 1, .weight = 256});
  auto const two = pool.add({.domain = 2, .weight = 512});
  pool.credit.wake(one);
  pool.credit.wake(two);
  pool.clock.run_until(Time{} + 1s);
  CHECK(pool.share(one) == Approx(1.0 / 3).margin(0.02));
  CHECK(pool.share(two) == Approx(2.0 / 3).margin(0.02));
}

TEST_CASE("a domain of two vCPUs gets the weight of each of them, as in Xen") {
  Pool pool(1);
  auto const single = pool.add({.domain = 1});
  auto const first = pool.add({.domain = 2});
  auto const second = pool.add({.domain = 2});
  for (auto const vcpu : {single, first, second})
    pool.credit.wake(vcpu);
  pool.clock.run_until(Time{} + 1s);
  CHECK(pool.share(single) == Approx(1.0 / 3).margin(0.02));
}

TEST_CASE("a cap holds on an idle host") {
  Pool pool(1);
  auto const capped = pool.add({.domain = 1, .cap = 25});
  pool.credit.wake(capped);
  pool.clock.run_until(Time{} + 1s);
  CHECK(pool.share(capped) == Approx(0.25).margin(0.03));
}

TEST_CASE("three vCPUs share two pCPUs, and a pinned one stays where it is") {
  Pool pool(2);
  std::vector<CpuScheduler::VcpuId> vcpus;
  for (std::uint32_t domain = 0; domain < 3; ++domain)
    vcpus.push_back(pool.add({.domain = domain}));
  for (auto const vcpu : vcpus)
    pool.credit.wake(vcpu);
  pool.clock.run_until(Time{} + 1s);
  CHECK(pool.share(vcpus[2]) == Approx(2.0 / 3).margin(0.05));

  Pool pinned(2);
  auto const a = pinned.add({.domain = 1, .pin = {0}});
  auto const b = pinned.add({.domain = 2, .pin = {0}});
  pinned.credit.wake(a);
  pinned.credit.wake(b);
  pinned.clock.run_until(Time{} + 1s);
  CHECK(pinned.share(a) == Approx(0.5).margin(0.02));
}

TEST_CASE("a vCPU that wakes with credit left runs before one that computes all the time") {
  Pool pool(1);
  auto const busy = pool.add({.domain = 1});
  auto const wakes = pool.add({.domain = 2});
  pool.credit.wake(busy);
  pool.clock.run_until(Time{} + 95ms);
  Time const woken = pool.clock.now();
  pool.credit.wake(wakes);
  pool.clock.run_until(woken + 5ms);
  CHECK(pool.credit.state(wakes).running);
  CHECK(pool.vcpus.back().began - woken <= 1ms); // the rate limit
  pool.credit.block(wakes);
  pool.clock.run_until(pool.clock.now());
  CHECK(pool.credit.state(busy).running);
  CHECK_FALSE(pool.credit.state(wakes).runnable);
}

TEST_CASE("a boost brings a waiting vCPU onto its pCPU, but not one without credit") {
  Pool pool(1);
  auto const one = pool.add({.domain = 1});
  auto const two = pool.add({.domain = 2});
  pool.credit.wake(one);
  pool.clock.run_until(Time{} + 12ms); // past a tick: no longer boosted
  pool.credit.wake(two);
  pool.clock.run_until(Time{} + 13ms);
  REQUIRE(pool.credit.state(two).running);
  pool.clock.run_until(Time{} + 21ms); // the second one's wake-up counts no more
  REQUIRE(pool.credit.state(one).runnable);
  pool.credit.boost(one);
  pool.clock.run_until(Time{} + 22ms);
  CHECK(pool.credit.state(one).running);
}

TEST_CASE("the ratio of CPU time is that of the weights however long a slice is") {
  for (Nanos const slice : {Nanos(5ms), Nanos(30ms), Nanos(90ms)}) {
    Clock clock;
    Credit credit(clock, {.slice = slice});
    VcpuRecorder a(clock), b(clock);
    auto const heavy = credit.add(a, {.domain = 1, .weight = 768});
    auto const light = credit.add(b, {.domain = 2, .weight = 256});
    credit.wake(heavy);
    credit.wake(light);
    clock.run_until(Time{} + 60s);
    double const ratio = std::chrono::duration<double>(credit.cpu_time(heavy)) / credit.cpu_time(light);
    CHECK(ratio == Approx(3).epsilon(0.05));
  }
}
