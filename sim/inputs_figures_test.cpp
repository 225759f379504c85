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
