// SPDX-License-Identifier: Apache-2.0
// The dispatcher: a domain with an SLO, under every policy.
#include "domA/scheduler/testing/two_domains.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>

using namespace pegasus;
using namespace pegasus::scheduler;
using namespace pegasus::scheduler::testing;

namespace {

// Both have calls at all times, and kernels of `a` and `b` that cannot be stopped. Returns the parts that they use.
std::pair<double, double> both_greedy(TwoDomains& fixture, Nanos kernel_a, Nanos kernel_b, Nanos duration) {
  Time const began = fixture.now;
  fixture.becomes(fixture.a, gate::Activity::waiting);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  Nanos used_a{0}, used_b{0};
  bool b_first = false; // where the device is shared, they take turns
  while (fixture.now < began + duration) {
    b_first = !b_first;
    bool const runs_b = fixture.b.open() && (b_first || !fixture.a.open());
    if (!runs_b && !fixture.a.open()) {
      fixture.wait(100us);
      continue;
    }
    Worker& worker = runs_b ? fixture.b : fixture.a;
    Nanos const kernel = runs_b ? kernel_b : kernel_a;
    fixture.executes(worker);
    fixture.wait(kernel);
    fixture.finishes(worker, gate::Activity::waiting);
    (runs_b ? used_b : used_a) += kernel;
  }
  auto const all = static_cast<double>((fixture.now - began).count());
  return {static_cast<double>(used_a.count()) / all, static_cast<double>(used_b.count()) / all};
}

// Of domain 20, also by its CPUs.
struct LowWeight final : CpuSchedule {
  policies::CpuState read(Caller const& caller, Time) override {
    return {.weight = caller.domain == 20 ? 16 : policies::default_credits};
  }
};

} // namespace

TEST_CASE("a domain of few credits has its SLO beside a greedy one, under every policy") {
  for (policies::Entry const& entry : policies::registry())
    for (auto const& [own, other] : {std::pair(Nanos{1ms}, Nanos{1ms}), {40ms, 1ms}, {1ms, 40ms}}) {
      if (entry.keeps_slos) continue;
      INFO(entry.name << ", kernels of " << own.count() << " ns beside " << other.count() << " ns");
      LowWeight cpus;
      TwoDomains fixture(entry.name, &cpus);
      fixture.dispatcher.set_domain(10, {.credits = 2048});
      fixture.dispatcher.set_domain(20, {.credits = 16, .slo = 0.6});
      auto const [a, b] = both_greedy(fixture, other, own, 10s);
      CHECK(b > 0.58);
      if (entry.accounts) CHECK(b < 0.65);
      CHECK(a + b > 0.95);
      CHECK(fixture.given_up.empty());
      CHECK(fixture.dispatcher.conduct(10).killed == 0);
    }
}

TEST_CASE("a domain that waits for another's reservation is neither barred nor charged nor forgotten") {
  TwoDomains fixture("eevdf");
  fixture.dispatcher.set_domain(10, {.credits = 1024});
  fixture.dispatcher.set_domain(20, {.credits = 1024, .slo = 0.9});
  (void)both_greedy(fixture, 1ms, 1ms, 5s);
  Conduct const conduct = fixture.dispatcher.conduct(10);
  CHECK(conduct.barred_until <= fixture.now);
  CHECK_FALSE(conduct.capped);
  CHECK(conduct.debt < 10ms);
  fixture.dispatcher.set_domain(20, {.credits = 1024});
  auto const [a, b] = both_greedy(fixture, 1ms, 1ms, 4s);
  CHECK(a == Approx(0.5).margin(0.03)); // the reserved time is not paid back beyond a tenth of a second
}

TEST_CASE("a reserved domain has the device to itself where the policy shares it") {
  for (std::string_view const policy : {"none", "lead", "dfq"}) {
    INFO(policy);
    TwoDomains fixture(policy);
    fixture.dispatcher.set_domain(20, {.credits = 1, .slo = 0.9});
    fixture.becomes(fixture.a, gate::Activity::waiting);
    fixture.becomes(fixture.b, gate::Activity::waiting);
    bool alone = false;
    Time const began = fixture.now;
    while (!alone && fixture.now < began + 1s) {
      fixture.wait(1ms);
      alone = fixture.b.open() && !fixture.a.open();
      if (!fixture.a.open()) fixture.becomes(fixture.a, gate::Activity::waiting);
    }
    CHECK(alone);
  }
}

TEST_CASE("a domain whose kernel outlasts its reservation keeps its SLO, and one without end is given up") {
  TwoDomains fixture("accc");
  fixture.dispatcher.set_domain(10, {.credits = 2048});
  fixture.dispatcher.set_domain(20, {.credits = 16, .slo = 0.5});
  auto const [a, b] = both_greedy(fixture, 1ms, 300ms, 10s);
  CHECK(b == Approx(0.5).margin(0.04));
  CHECK(fixture.given_up.empty());
  while (!fixture.b.open())
    fixture.wait(1ms);
  fixture.executes(fixture.b);
  fixture.wait(3s);
  REQUIRE(fixture.given_up == std::vector<TaskId>{TwoDomains::task_b});
  CHECK(fixture.dispatcher.conduct(20).killed == 1);
}

TEST_CASE("a reserved domain's work is cut, too, for a request that another domain expects") {
  TwoDomains fixture("eevdf");
  fixture.dispatcher.set_domain(10,
                                {.latency_slice = 200us}); // its requests are not known yet: expected at once
  fixture.dispatcher.set_domain(20, {.credits = 60000});
  fixture.dispatcher.set_domain(30, {.credits = 1, .slo = 0.6});
  Worker c{3};
  fixture.dispatcher.attach(c.task, 30, c.gate, c.usage, fixture.now);
  fixture.becomes(fixture.b, gate::Activity::waiting);
  fixture.becomes(c, gate::Activity::waiting);
  unsigned seen = 0;
  for (int turn = 0; turn < 40; ++turn) {
    Worker& worker = c.open() ? c : fixture.b;
    REQUIRE(worker.open());
    if (&worker == &c) CHECK(c.gate.longest_piece_ns.load() == 200'000);
    seen += &worker == &c ? 1 : 0;
    fixture.executes(worker);
    fixture.wait(5ms);
    fixture.finishes(worker, gate::Activity::waiting);
  }
  CHECK(seen > 10);
}

TEST_CASE("the log says when a reservation ended a time slice") {
  TwoDomains fixture("fair");
  fixture.dispatcher.set_domain(20, {.credits = 1, .slo = 0.5});
  (void)both_greedy(fixture, 1ms, 1ms, 1s);
  CHECK(std::ranges::count(fixture.ends(), policies::Reason::reservation) > 10);
}

TEST_CASE("slaf keeps SLOs by itself: there is no reservation, until another policy is used") {
  TwoDomains fixture("slaf");
  fixture.dispatcher.set_domain(20, {.credits = 1, .slo = 0.5});
  (void)both_greedy(fixture, 1ms, 1ms, 1s);
  CHECK(std::ranges::count(fixture.ends(), policies::Reason::reservation) == 0);
  fixture.dispatcher.use({.policy = policies::find("fair"), .tunables = {}}, fixture.now);
  (void)both_greedy(fixture, 1ms, 1ms, 1s);
  CHECK(std::ranges::count(fixture.ends(), policies::Reason::reservation) > 5);
}
