// SPDX-License-Identifier: Apache-2.0
// What docs/evaluation/inputs.md says is so.
#include "sim/testing/builtin_runs.h"

using namespace pegasus::sim;
using namespace pegasus::sim::testing;
using namespace std::chrono_literals;

namespace {

// The cost of doing the same work, over what the ideal is, for each variant of a scenario.
std::vector<double> overheads(std::string_view name, std::string const& policy,
                              std::vector<std::string_view> const& variants) {
  std::vector<double> all;
  for (std::string_view const variant : variants)
    all.push_back(results_of(name, variant, {policy}).front().overhead);
  return all;
}

} // namespace

TEST_CASE("policies that wait for a domain go by the cost of a change that they are told") {
  std::vector<std::string_view> const told{"0ms", "500us", "1ms", "2ms"}; // it is 1 ms
  for (std::string const policy : {"fair hold=auto", "eevdf hold=auto", "lead"}) {
    INFO(policy);
    auto const alike = overheads("told-switch-cost-alike", policy, told);
    CHECK(alike[0] > 1.08 * alike[2]);
    CHECK(alike[1] > 1.03 * alike[2]);
    CHECK(alike[3] < alike[2]);
    auto const long_gaps = overheads("told-switch-cost-long", policy, told);
    CHECK(long_gaps[3] > 1.05 * long_gaps[2]); // it waits for what costs less to pass on
  }
  auto const fair = overheads("told-switch-cost-alike", "fair", told);
  CHECK(fair[0] == fair[2]);
  CHECK(fair[3] == fair[2]);
}

TEST_CASE("an old CPU schedule costs augc and cosched what coordination gains, and hypercalls keep it") {
  for (std::string const policy : {"augc", "cosched"}) {
    INFO(policy);
    auto const aged = overheads("old-schedule-polls", policy, {"0ms", "5ms", "30ms"});
    CHECK(aged[1] > aged[0] + 0.02);
    CHECK(aged[2] > aged[1] + 0.02);
    Scenario other = builtin_variant("old-schedule-polls", "0ms");
    auto const with = [&](ScheduleSource source) {
      other.schedule.source = source;
      return results_of(other, {policy}).front().overhead;
    };
    CHECK(with(ScheduleSource::hypercalls) < aged[0] + 0.01);
    CHECK(with(ScheduleSource::none) > aged[0] + 0.04);
    CHECK(with(ScheduleSource::none) < aged[2]); // to know nothing is better than what was so 30 ms ago
  }
}

TEST_CASE("without a schedule xc has no weights, and policies wait for domains that sleep") {
  Scenario scenario = builtin_variant("old-schedule-sleeps", "0ms");
  std::vector<std::string> const policies{"xc hold=2ms", "augc hold=2ms", "lead"};
  auto const seen = results_of(scenario, policies);
  scenario.schedule.source = ScheduleSource::none;
  auto const unseen = results_of(scenario, policies);
  CHECK(seen[0].work[0] > 1.5 * seen[0].work[1]);
  CHECK(unseen[0].work[0] == Approx(unseen[0].work[1]).epsilon(0.02));
  CHECK(unseen[1].overhead > 1.04 * seen[1].overhead);
  CHECK(unseen[2].overhead > seen[2].overhead);
}

TEST_CASE("that pCPUs tick one after the other changes nothing where each has its own guests") {
  for (std::string_view const name : {"pegasus-fig4-bs", "pegasus-fig4-spin"}) {
    Scenario scenario = builtin_variant(name, "1ms");
    std::vector<std::string> const policies{"none", "xc", "augc", "cosched"};
    auto const together = results_of(scenario, policies);
    scenario.cpus.ticks_spread = true;
    auto const spread = results_of(scenario, policies);
    for (std::size_t i = 0; i < policies.size(); ++i)
      CHECK(spread[i].overhead == Approx(together[i].overhead).epsilon(0.001));
  }
}
