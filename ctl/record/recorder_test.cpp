// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/recorder.h"

#include "control/figure_values.h"
#include "ctl/record/test_intervals.h"

#include <catch2/catch.hpp>

using namespace pegasus;
using namespace pegasus::ctl;

namespace {

control::Policies fair(std::string const& slice) {
  control::Policies policies;
  control::Policy& policy = *policies.add_policy();
  policy.set_name("fair");
  policy.set_active(true);
  for (auto const& [name, value, usual] :
       {std::tuple("tick", std::string("5ms"), "5ms"), std::tuple("slice", slice, "0s")}) {
    control::Tunable& tunable = *policy.add_tunable();
    tunable.set_name(name);
    tunable.set_value(value);
    tunable.set_usual(usual);
  }
  policies.add_policy()->set_name("none");
  return policies;
}

control::Accelerators accelerator(std::uint64_t switches, std::uint64_t switching_ns) {
  control::Accelerators accelerators;
  control::set_figures(
      *accelerators.add_accelerator(),
      control::AcceleratorFigures{.switches = switches, .switching_ns = switching_ns, .switch_cost_ns = 70});
  return accelerators;
}

control::Domains domains(std::uint64_t elapsed_ms) {
  control::Domains made;
  made.set_policy("fair");
  made.set_elapsed_ns(elapsed_ms * ms);
  return made;
}

control::Domain& add(control::Domains& to, std::string const& name, std::uint64_t device_ms,
                     std::uint64_t calls) {
  control::Domain& domain = *to.add_domain();
  domain.set_name(name);
  control::set_figures(
      domain, control::DomainFigures{.credits = 256, .device_busy_ns = device_ms * ms, .calls = calls});
  return domain;
}

template <class Change> void change(control::Domain& domain, Change change_figures) {
  control::DomainFigures figures = control::figures_of(domain);
  change_figures(figures);
  control::set_figures(domain, figures);
}

} // namespace

TEST_CASE("intervals are what the totals grew by") {
  control::Domains first = domains(1000);
  add(first, "a", 100, 10);
  Recorder recorder(fair("2ms"), accelerator(10, 1000), first);
  control::Domains second = domains(1100);
  control::Domain& a = add(second, "a", 130, 25);
  change(a, [](auto& figures) {
    figures.host_busy_ns = 5 * ms;
    figures.sync_calls = 15;
    figures.waited_ns = 20 * ms;
    figures.sync_calls_ns = 60 * ms;
    figures.cpu_weight = 512;
  });
  a.set_accelerator(1);
  a.add_task()->set_program("saxpy");
  a.add_task()->set_program("other");
  REQUIRE(recorder.sample(second, accelerator(14, 3000)));
  auto const recording = std::move(recorder).end(fair("2ms"));
  REQUIRE(recording);
  CHECK(recording->policy == "fair slice=2ms");
  CHECK(recording->tick == "5ms");
  CHECK(recording->switch_costs_ns == std::vector<std::uint64_t>{500});
  REQUIRE(recording->domains.size() == 1);
  RecordedDomain const& domain = recording->domains[0];
  CHECK(domain.program == "saxpy");
  CHECK(domain.accelerator == 1);
  CHECK(domain.cpu_weight == 512);
  REQUIRE(domain.intervals.size() == 1);
  Interval const& interval = domain.intervals[0];
  CHECK(interval.length_ns == 100 * ms);
  CHECK(interval.device_ns == 35 * ms);
  CHECK(interval.calls == 15);
  CHECK(interval.sync_calls == 15);
  CHECK(interval.waited_ns == 20 * ms);
  CHECK(interval.in_calls_ns == 60 * ms);
  CHECK(interval.tasks() == 2);
}

TEST_CASE("domains that come, go and come again have as many intervals as all") {
  Recorder recorder(fair("0s"), accelerator(0, 0), domains(0));
  control::Domains now = domains(100);
  add(now, "a", 50, 5);
  REQUIRE(recorder.sample(now, accelerator(0, 0)));
  REQUIRE(recorder.sample(domains(200), accelerator(0, 0)));
  now.set_elapsed_ns(300 * ms);
  now.mutable_domain(0)->set_id(7); // another one of this name: its totals began at 0
  REQUIRE(recorder.sample(now, accelerator(0, 0)));
  auto const recording = std::move(recorder).end(fair("0s"));
  REQUIRE(recording);
  CHECK(recording->policy == "fair");
  CHECK(recording->switch_costs_ns == std::vector<std::uint64_t>{70}); // none took place: what is expected
  REQUIRE(recording->domains.size() == 1);
  std::vector<std::uint64_t> calls;
  for (Interval const& each : recording->domains[0].intervals)
    calls.push_back(each.calls);
  CHECK(calls == std::vector<std::uint64_t>{5, 0, 5});
}

TEST_CASE("the device time of other domains is known for each domain") {
  Recorder recorder(fair("0s"), accelerator(0, 0), domains(0));
  control::Domains now = domains(100);
  add(now, "a", 50, 5);
  add(now, "b", 20, 5);
  add(now, "elsewhere", 90, 5).set_accelerator(1);
  control::Domains later = now;
  later.set_elapsed_ns(200 * ms);
  change(*later.mutable_domain(0), [](auto& figures) { figures.device_busy_ns = 90 * ms; });
  change(*later.mutable_domain(1), [](auto& figures) { figures.estimated = true; });
  REQUIRE(recorder.sample(now, accelerator(3, 7 * ms)));
  REQUIRE(recorder.sample(later, accelerator(3, 7 * ms)));
  auto const recording = std::move(recorder).end(fair("0s"));
  REQUIRE(recording);
  CHECK(recording->domains[0].intervals[0].delayed_ns == 27 * ms);
  CHECK(recording->domains[0].intervals[1].delayed_ns == 0);
  CHECK(recording->domains[1].intervals[0].delayed_ns == 57 * ms);
  CHECK(recording->domains[1].intervals[1].delayed_ns == 100 * ms); // an estimate says nothing
}

TEST_CASE("where one domain runs at a time, it is known when a domain has a call") {
  control::Policies policies = fair("0s");
  policies.mutable_policy(0)->set_exclusive(true);
  Recorder recorder(policies, accelerator(0, 0), domains(0));
  control::Domains now = domains(100);
  for (int const tasks : {1, 2}) {
    control::Domain& domain = add(now, tasks == 1 ? "one" : "two", 30, 5);
    change(domain, [](auto& figures) {
      figures.waited_ns = 20 * ms;
      figures.wanted_ns = 60 * ms;
      figures.sync_calls_ns = 70 * ms;
    });
    for (int i = 0; i < tasks; ++i)
      domain.add_task();
  }
  REQUIRE(recorder.sample(now, accelerator(0, 0)));
  auto const recording = std::move(recorder).end(policies);
  REQUIRE(recording);
  Interval const& one = recording->domains[0].intervals[0];
  CHECK(one.delayed_ns == 10 * ms);
  CHECK(one.in_calls_ns == 60 * ms);
  CHECK(one.between_calls_ns() == 40 * ms);
  Interval const& two = recording->domains[1].intervals[0];
  CHECK(two.delayed_ns == 10 * ms);
  CHECK(two.in_calls_ns == 70 * ms);
  CHECK(two.between_calls_ns() == 130 * ms); // of 200 ms
}

TEST_CASE("statistics that are reset meanwhile count from the reset") {
  control::Domains first = domains(5000);
  add(first, "a", 3000, 300);
  Recorder recorder(fair("0s"), accelerator(0, 0), first);
  control::Domains second = domains(40);
  add(second, "a", 30, 3);
  REQUIRE(recorder.sample(second, accelerator(0, 0)));
  auto const recording = std::move(recorder).end(fair("0s"));
  REQUIRE(recording);
  CHECK(recording->domains[0].intervals[0].length_ns == 40 * ms);
  CHECK(recording->domains[0].intervals[0].calls == 3);
}

TEST_CASE("what changes meanwhile cannot be recorded") {
  control::Domains first = domains(0);
  add(first, "a", 0, 0);
  Recorder recorder(fair("0s"), accelerator(0, 0), first);
  SECTION("the policy") {
    control::Domains now = first;
    now.set_policy("none");
    auto const sampled = recorder.sample(now, accelerator(0, 0));
    REQUIRE_FALSE(sampled);
    CHECK(sampled.error().message ==
          "the policy changed from fair to none while it was recorded: record again");
    CHECK(sampled.error().exit_status() == 1);
  }
  SECTION("a tunable") {
    auto const ended = std::move(recorder).end(fair("2ms"));
    REQUIRE_FALSE(ended);
    CHECK_THAT(ended.error().message, Catch::Contains("from fair to fair slice=2ms"));
  }
  SECTION("a domain's credits") {
    control::Domains now = first;
    change(*now.mutable_domain(0), [](auto& figures) { figures.credits = 512; });
    auto const sampled = recorder.sample(now, accelerator(0, 0));
    REQUIRE_FALSE(sampled);
    CHECK_THAT(sampled.error().message, Catch::Contains("the settings of domain a changed"));
  }
}

TEST_CASE("a daemon without domains has nothing to record") {
  auto const ended = Recorder(fair("0s"), accelerator(0, 0), domains(0)).end(fair("0s"));
  REQUIRE_FALSE(ended);
  CHECK_THAT(ended.error().message, Catch::Contains("has no domains"));
}
