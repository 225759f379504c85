// SPDX-License-Identifier: Apache-2.0
// Guests with a scheduler of their own on the modelled host.
#include "sim/report/metrics.h"
#include "sim/scenario/scenario_file.h"

#include <catch2/catch.hpp>

using namespace pegasus::sim;
using namespace std::chrono_literals;

namespace {

Scenario parsed(std::string const& text) {
  auto const scenarios = parse_scenarios(text, "nested");
  INFO((scenarios ? "" : scenarios.error()));
  REQUIRE(scenarios);
  return scenarios->front();
}

Run run_of(Scenario const& scenario, std::string const& policy) {
  auto const runs = run_policies(scenario, {policy}, 1);
  REQUIRE(runs);
  return runs->front();
}

// Two VMs by 2 to 1; the tasks of the first one by 3 to 1, if it has a scheduler of its own.
Scenario two_vms(std::string const& heavy, std::string const& light) {
  return parsed(R"(
duration = "10s"
[cpus]
count = 4
[[domain]]
name = "own"
credits = 512
vcpus = 2
nested = {}
[[domain.program]]
weight = 3
steps = [)" + heavy +
                R"(]
[[domain.program]]
steps = [)" + light +
                R"(]
[[domain]]
name = "other"
credits = 256
vcpus = 2
[[domain.program]]
steps = ["launch 2ms 16", "sync"]
[[domain.program]]
steps = ["call 500us"]
)");
}

// Kernels of the first VM's first program over those of its second.
double kernels_ratio(Run const& run) {
  auto const& programs = run.outcome.domains[0].programs;
  return static_cast<double>(programs[0].kernels) / static_cast<double>(programs[1].kernels);
}

} // namespace

TEST_CASE("a guest divides by weights of its own what the host gives it by credits") {
  for (auto const& [heavy, light] : {std::pair("\"call 300us\"", "\"call 1ms\""),
                                     {"\"call 300us\"", "\"launch 1ms 16\", \"sync\""},
                                     {"\"launch 300us 100\", \"sync\"", "\"launch 1ms 16\", \"sync\""}}) {
    Scenario const scenario = two_vms(heavy, light);
    for (std::string const policy : {"accc", "fair", "eevdf", "lead", "dfq"}) {
      INFO(heavy << " and " << light << " under " << policy);
      Run const run = run_of(scenario, policy);
      CHECK(share(run.outcome, run.outcome.domains[0]) == Approx(2.0 / 3).margin(0.005));
      CHECK(kernels_ratio(run) * 0.3 == Approx(3).epsilon(0.03));
    }
  }
}

TEST_CASE("without a scheduler of its own the tasks of a guest are equal, whatever their weights") {
  Scenario scenario = two_vms("\"call 300us\"", "\"call 1ms\"");
  scenario.domains[0].nested.reset();
  Run const run = run_of(scenario, "fair");
  CHECK(share(run.outcome, run.outcome.domains[0]) == Approx(2.0 / 3).margin(0.005));
  CHECK(kernels_ratio(run) * 0.3 == Approx(1).epsilon(0.05));
}

TEST_CASE("a guest whose stopped task has no calls gives up what it does not use itself") {
  Scenario scenario = two_vms("\"cpu 200us\", \"call 300us\"", "\"launch 1ms 16\", \"sync\"");
  auto const share_under = [&](std::string const& policy) {
    Run const run = run_of(scenario, policy);
    return share(run.outcome, run.outcome.domains[0]);
  };
  CHECK(kernels_ratio(run_of(scenario, "fair")) * 0.3 == Approx(3).epsilon(0.03));
  CHECK(share_under("fair") < 0.3);
  CHECK(share_under("lead") == Approx(2.0 / 3).margin(0.005)); // waits for a guest that is behind
  scenario.domains[0].nested.reset();
  CHECK(share_under("fair") == Approx(2.0 / 3).margin(0.005));
}

TEST_CASE("a stopped program makes no call and does not compute") {
  // The second one may use a thousandth of what the first one uses.
  Scenario const scenario = parsed(R"(
[cpus]
count = 2
[[domain]]
vcpus = 2
nested = {}
[[domain.program]]
weight = 1000
steps = ["call 1ms"]
[[domain.program]]
steps = ["cpu 1ms", "call 10ms"]
)");
  Run const run = run_of(scenario, "none");
  DomainOutcome const& domain = run.outcome.domains[0];
  CHECK(domain.programs[1].kernels == 0); // in the warm-up it had its share of all the time
  CHECK(domain.programs[0].kernels >= 1950);
  CHECK(domain.cpu < 200ms);
}

TEST_CASE("programs that end or have not begun take nothing from the others of their guest") {
  Scenario const scenario = parsed(R"(
warm_up = "0"
[cpus]
count = 3
[[domain]]
vcpus = 3
nested = {}
[[domain.program]]
steps = ["launch 1ms 100", "sync"]
rounds = 2
[[domain.program]]
start = "100ms"
steps = ["call 300us"]
[[domain.program]]
start = "500ms"
steps = ["call 100us"]
rounds = 1000
)");
  Run const run = run_of(scenario, "none");
  auto const& programs = run.outcome.domains[0].programs;
  REQUIRE(programs[0].ended);
  CHECK(programs[0].kernels == 200);
  REQUIRE(programs[2].ended);
  CHECK(*programs[2].ended < 750ms);
  CHECK(run.outcome.accelerators[0].busy > 1900ms);
}

TEST_CASE("a program that runs away is killed although it is stopped") {
  Scenario const scenario = parsed(R"(
runaway = "100ms"
warm_up = "0"
[cpus]
count = 3
[[domain]]
vcpus = 2
nested = {}
[[domain.program]]
steps = ["call 60s"]
[[domain.program]]
steps = ["call 1ms"]
[[domain]]
[[domain.program]]
steps = ["call 1ms"]
)");
  Run const run = run_of(scenario, "accc");
  CHECK(run.outcome.domains[0].programs[0].killed);
  CHECK(run.outcome.domains[0].programs[1].kernels > 500);
}
