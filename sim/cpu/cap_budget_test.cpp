// SPDX-License-Identifier: Apache-2.0
// Caps under credit2.
#include "sim/cpu/cap_budget.h"

#include "sim/cpu/credit2.h"
#include "sim/cpu/testing/vcpu_pool.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

using Credit2Pool = testing::VcpuPool<Credit2>;
using VcpuIds = std::vector<CpuScheduler::VcpuId>;

} // namespace

TEST_CASE("credit2: a cap is of the domain, and holds on an idle host") {
  for (std::uint32_t const cap : {1u, 5u, 25u, 50u, 99u}) {
    INFO("cap " << cap);
    Credit2Pool pool(1);
    auto const vcpu = pool.add_spinning({.domain = 1, .cap = cap});
    pool.run(1s);
    CHECK(pool.share(vcpu) == Approx(cap / 100.0).margin(0.002));
  }
  for (std::uint32_t const cap : {30u, 150u}) {
    INFO("two vCPUs, cap " << cap);
    Credit2Pool pool(2);
    VcpuIds const vcpus{pool.add_spinning({.domain = 1, .cap = cap}),
                        pool.add_spinning({.domain = 1, .cap = cap})};
    pool.run(1s);
    auto const shares = pool.shares(vcpus);
    CHECK(shares[0] + shares[1] == Approx(cap / 100.0).margin(0.005));
  }
}

TEST_CASE("credit2: what a capped domain may not use, others have") {
  Credit2Pool pool(1);
  VcpuIds const vcpus{pool.add_spinning({.domain = 1, .cap = 20}), pool.add_spinning({.domain = 2})};
  pool.run(1s);
  auto const shares = pool.shares(vcpus);
  CHECK(shares[0] == Approx(0.2).margin(0.01));
  CHECK(shares[1] == Approx(0.8).margin(0.01));
}

TEST_CASE("credit2: a capped vCPU that blocks and wakes does not get more than its cap") {
  Credit2Pool pool(1);
  auto const vcpu = pool.add({.domain = 1, .cap = 30});
  for (int round = 0; round < 10'000; ++round) {
    pool.scheduler.wake(vcpu);
    pool.run(700us);
    if (pool.scheduler.state(vcpu).running) pool.scheduler.block(vcpu);
    pool.run(300us);
  }
  CHECK(std::chrono::duration<double>(pool.scheduler.cpu_time(vcpu)) / 10s == Approx(0.3).margin(0.01));
}

TEST_CASE("credit2: a capped vCPU stops when its budget ends, and saves none of it") {
  Credit2Pool pool(1);
  auto const vcpu = pool.add({.domain = 1, .cap = 25});
  pool.run(1s);
  pool.scheduler.wake(vcpu);
  pool.run(2400us);
  CHECK(pool.scheduler.state(vcpu).running);
  pool.run(100us);
  CHECK_FALSE(pool.scheduler.state(vcpu).running);
  pool.run(20ms);
  CHECK(pool.scheduler.cpu_time(vcpu) == 7500us);
}

TEST_CASE(
    "credit2: vCPUs of a capped domain have equal parts of its budget, and what one leaves, others have") {
  Credit2Pool pool(2);
  auto const first = pool.add_spinning({.domain = 1, .cap = 30});
  auto const second = pool.add({.domain = 1, .cap = 30});
  pool.run(500us);
  pool.scheduler.wake(second);
  pool.run(1ms);
  CHECK_FALSE(pool.scheduler.state(first).running); // it has had its 1.5 ms
  CHECK(pool.scheduler.state(second).running);
  pool.run(200us);
  pool.scheduler.block(second); // 0.3 ms are left
  pool.run(0ms);
  CHECK(pool.scheduler.state(first).running);
}
