// SPDX-License-Identifier: Apache-2.0
// The built-in scenarios: each can be run, and what docs/evaluation says of them is so.
#include "policies/registry.h"
#include "sim/report/metrics.h"
#include "sim/scenario/builtin.h"
#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

using namespace pegasus::sim;

namespace {

// One of the scenario's variants.
Scenario builtin_variant(std::string_view name, std::string_view variant) {
  auto const builtin = std::ranges::find(builtin_scenarios(), name, &BuiltinScenario::name);
  REQUIRE(builtin != builtin_scenarios().end());
  auto const scenarios = parse_scenarios(builtin->text, builtin->name);
  REQUIRE(scenarios);
  auto const scenario = std::ranges::find(*scenarios, variant, &Scenario::variant);
  REQUIRE(scenario != scenarios->end());
  return *scenario;
}

std::vector<Run> results_of(Scenario const& scenario, std::vector<std::string> const& policies) {
  auto const runs = run_policies(scenario, policies, 1);
  REQUIRE(runs);
  return *runs;
}

std::vector<Run> results_of(std::string_view name, std::string_view variant,
                            std::vector<std::string> const& policies) {
  return results_of(builtin_variant(name, variant), policies);
}

double mean_work(Run const& run) { return values_of(Measure::mean_work, run).front(); }

} // namespace

TEST_CASE("each built-in scenario is read, and its policies exist") {
  for (BuiltinScenario const& builtin : builtin_scenarios()) {
    auto const scenarios = parse_scenarios(builtin.text, builtin.name);
    INFO(builtin.name << (scenarios ? "" : ": " + scenarios.error()));
    REQUIRE(scenarios);
    for (Scenario const& scenario : *scenarios) {
      CHECK_FALSE(scenario.title.empty());
      for (std::string const& policy : scenario.policies)
        CHECK(pegasus::policies::find(policy.substr(0, policy.find(' '))) != nullptr);
    }
  }
}

TEST_CASE(
    "fair has FairGV's ratio and overhead with each program of its figures 8 and 9 and of its Table 3") {
  std::size_t programs = 0;
  for (BuiltinScenario const& builtin : builtin_scenarios()) {
    if (std::ranges::none_of(
            std::initializer_list<std::string_view>{"fairgv-fig8-", "fairgv-fig9-", "fairgv-table3-"},
            [&](std::string_view figure) { return builtin.name.starts_with(figure); }))
      continue;
    ++programs;
    auto const scenarios = parse_scenarios(builtin.text, builtin.name);
    REQUIRE(scenarios);
    auto const runs = run_policies(scenarios->front(), {"fair"}, 1);
    REQUIRE(runs);
    INFO(builtin.name);
    CHECK(runs->front().mmr >= 0.99);
    CHECK(runs->front().overhead <= 1.02);
  }
  CHECK(programs == 10);
}

TEST_CASE("a policy that holds time slices does more work where the device takes 1 ms to change contexts") {
  double const without = results_of("switch-cost", "", {"none"}).front().overhead;
  std::size_t holding = 0;
  for (pegasus::policies::Entry const& entry : pegasus::policies::registry()) {
    if (std::ranges::none_of(entry.tunables, [](auto const& each) { return each.name == "hold"; })) continue;
    ++holding;
    INFO(entry.name);
    auto const runs = results_of("switch-cost", "", {std::string(entry.name) + " hold=2ms"});
    CHECK(runs.front().overhead < without / 1.5);
  }
  CHECK(holding == 8);
}

TEST_CASE(
    "policies that read the hypervisor's schedule do more work where guests poll beside their kernels") {
  auto const runs = results_of("coordination", "", {"xc", "augc", "cosched"});
  CHECK(runs[1].overhead < runs[0].overhead - 0.01);
  CHECK(runs[2].overhead < runs[0].overhead - 0.03);
}

TEST_CASE("Pegasus, figure 4: time slices gain where a change of context costs, and only there") {
  std::vector<std::string> const policies{"none", "xc", "xc hold=10ms", "slaf", "augc", "lead"};
  auto const free = results_of("pegasus-fig4-bs", "0ms", policies);
  auto const dear = results_of("pegasus-fig4-bs", "1ms", policies);
  for (std::size_t i = 1; i < policies.size(); ++i) {
    INFO(policies[i]);
    CHECK(mean_work(free[i]) < 1.01 * mean_work(free[0]));
    CHECK(mean_work(dear[i]) > 1.1 * mean_work(dear[0]));
  }
}

TEST_CASE(
    "Pegasus, figure 4: with VMs that sleep while they wait it does not matter that they share a core") {
  std::vector<std::string> const policies{"none", "xc", "slaf", "augc", "cosched"};
  auto const shared = results_of("pegasus-fig4-bs", "1ms", policies);
  auto const own = results_of("pegasus-fig4-cores", "1ms", policies);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    INFO(policies[i]);
    CHECK(mean_work(shared[i]) == Approx(mean_work(own[i])).epsilon(0.01));
  }
}

TEST_CASE(
    "Pegasus, figure 4: VMs that poll lose without coordination what they do not lose with a core each") {
  std::vector<std::string> const policies{"credit-poll", "strict-co"};
  auto const shared = results_of("pegasus-fig4-bs", "1ms", policies);
  auto const own = results_of("pegasus-fig4-cores", "1ms", policies);
  CHECK(mean_work(shared[0]) < 0.65 * mean_work(own[0]));
  CHECK(mean_work(shared[1]) > 1.5 * mean_work(shared[0]));
  CHECK(mean_work(shared[1]) > 0.95 * mean_work(own[0]));
}

TEST_CASE("Pegasus, figure 4: of two contexts on a device none waits when it changes between them") {
  Scenario contended = builtin_variant("pegasus-fig4-bs", "100us");
  std::vector<std::string> const policies{"none", "xc", "augc"};
  auto const before = results_of(contended, policies);
  for (Engine::Options& each : contended.accelerators)
    each.contention = std::chrono::seconds(1);
  auto const after = results_of(contended, policies);
  for (std::size_t i = 0; i < policies.size(); ++i)
    CHECK(after[i].work == before[i].work);
}

TEST_CASE(
    "Pegasus, figure 5: the domain with most of the credits does most of the work, and latency follows") {
  for (Run const& run :
       results_of("pegasus-fig5-bs", "1ms", {"xc", "xc hold=10ms", "slaf", "augc", "lead"})) {
    INFO(run.policy);
    CHECK(run.work[2] > 1.3 * run.work[0]); // dom3 has 1024, dom1 256 on the same GPU
    CHECK(run.work[1] > 1.2 * run.work[3]); // dom2 512, dom4 256
    CHECK(run.outcome.domains[2].wait_mean_us < run.outcome.domains[0].wait_mean_us);
    CHECK(run.outcome.domains[1].wait_mean_us < run.outcome.domains[3].wait_mean_us);
  }
}

TEST_CASE("Pegasus, figure 7: where contention costs, fewer contexts at a time do more") {
  auto const runs = results_of("pegasus-fig7-contention", "1ms", {"none", "slaf", "augc", "cosched"});
  for (std::size_t i = 1; i < runs.size(); ++i) {
    INFO(runs[i].policy);
    CHECK(runs[i].work[0] > 1.3 * runs[0].work[0]);
    CHECK(runs[i].work[2] > 1.3 * runs[0].work[2]);
  }
}

TEST_CASE("Pegasus, figure 3c: slices that are held spare a program that waits for each call most changes") {
  auto const runs = results_of("pegasus-fig3c-fwt", "1ms", {"none", "rr", "rr hold=10ms"});
  for (std::size_t domain : {0U, 1U}) {
    CHECK(runs[1].progress[domain] == Approx(runs[0].progress[domain]).epsilon(0.05));
    CHECK(runs[2].progress[domain] > 1.5 * runs[0].progress[domain]);
  }
}

TEST_CASE(
    "Pegasus, figure 8: CPU credits count for a program that waits for each call only if slices are held") {
  auto const runs = results_of("pegasus-fig8-unequal", "1ms", {"xc", "xc hold=10ms"});
  auto const wait = [](Run const& run, std::size_t domain) {
    return run.outcome.domains[domain].wait_mean_us;
  };
  CHECK(wait(runs[0], 2) == Approx(wait(runs[0], 0)).epsilon(0.01));
  CHECK(wait(runs[1], 2) < 0.5 * wait(runs[1], 0));
}

TEST_CASE("Pegasus, figure 9: scheduling is not always effective") {
  auto const runs = results_of("pegasus-fig9-cp", "1ms",
                               {"none", "rr", "xc", "xc hold=10ms", "slaf", "augc", "cosched", "lead"});
  for (Run const& run : runs) {
    INFO(run.policy);
    CHECK(mean_work(run) == Approx(mean_work(runs.front())).epsilon(0.05));
  }
}
