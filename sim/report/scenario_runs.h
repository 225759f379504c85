// SPDX-License-Identifier: Apache-2.0
// A scenario's runs under all policies, with one seed or several: what tables, JSON, CSV and the page are of.
#pragma once

#include "sim/report/estimate.h"
#include "sim/report/metrics.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::sim {

struct Seeds {
  std::uint64_t first = 1;
  std::uint32_t count = 0; // 0: one seed, and nothing is said of means
};

struct ScenarioRuns {
  std::string name; // of the scenario
  Scenario scenario;
  std::vector<Run> runs{};               // of the first seed, one for each policy
  std::vector<std::vector<Run>> seeds{}; // the same of each seed, if means are wanted; the first is `runs`
  std::string text{};                    // the scenario's own, in TOML
};

// The timeline is told of the runs with the first seed.
[[nodiscard]] tl::expected<ScenarioRuns, std::string> run_seeds(std::string name, Scenario const& scenario,
                                                                std::vector<std::string> const& policies,
                                                                Seeds seeds, RunTimeline* timeline);

// Of a run's value, over the seeds in which it has one.
using RunValue = std::function<std::optional<double>(Run const&)>;
[[nodiscard]] std::optional<Estimate> estimate_of(ScenarioRuns const& of, std::size_t policy,
                                                  RunValue const& value);

// Whether seeds make a difference.
[[nodiscard]] bool is_random(Scenario const& scenario);

// The title with what stands for `$`.
[[nodiscard]] std::string title_of(Scenario const& scenario);

} // namespace pegasus::sim
