// SPDX-License-Identifier: Apache-2.0
#include "sim/report/scenario_runs.h"

#include <algorithm>
#include <fmt/format.h>

namespace pegasus::sim {

tl::expected<ScenarioRuns, std::string> run_seeds(std::string name, Scenario const& scenario,
                                                  std::vector<std::string> const& policies, Seeds seeds,
                                                  RunTimeline* timeline) {
  ScenarioRuns all{.name = std::move(name), .scenario = scenario};
  for (std::uint32_t i = 0; i < std::max(seeds.count, 1U); ++i) {
    auto runs = run_policies(scenario, policies, seeds.first + i, i == 0 ? timeline : nullptr);
    if (!runs) return tl::unexpected(runs.error());
    if (i == 0) all.runs = *runs;
    if (seeds.count > 0) all.seeds.push_back(std::move(*runs));
  }
  return all;
}

std::optional<Estimate> estimate_of(ScenarioRuns const& of, std::size_t policy, RunValue const& value) {
  std::vector<double> values;
  auto const add = [&](Run const& run) {
    if (auto const found = value(run)) values.push_back(*found);
  };
  for (std::vector<Run> const& runs : of.seeds)
    add(runs[policy]);
  if (of.seeds.empty()) add(of.runs[policy]);
  return estimate_of(values);
}

bool is_random(Scenario const& scenario) {
  return std::ranges::any_of(scenario.domains, [](DomainScenario const& domain) {
    return std::ranges::any_of(domain.programs,
                               [](ProgramSettings const& program) { return program.spread > 0; });
  });
}

std::string title_of(Scenario const& scenario) {
  std::string title = scenario.title;
  if (scenario.variant.empty()) return title;
  std::size_t at = title.find('$');
  if (at == std::string::npos)
    return fmt::format("{}{}vary = {}", title, title.empty() ? "" : ", ", scenario.variant);
  for (; at != std::string::npos; at = title.find('$', at + scenario.variant.size()))
    title.replace(at, 1, scenario.variant);
  return title;
}

} // namespace pegasus::sim
