// SPDX-License-Identifier: Apache-2.0
// One policy's run of a scenario, and what is computed from it: progress, fairness and overhead.
#pragma once

#include "sim/host.h"
#include "sim/report/run_timeline.h"

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::sim {

struct Run {
  std::string policy; // as the operator wrote it
  std::uint64_t seed = 0;
  Outcome outcome;
  // Of each domain: its kernels in a unit of time over those that it finishes alone on this host, without a
  // policy; 0 if it has none.
  std::vector<double> progress;
  // The same, of each over the time until its programs have ended: what Pegasus calls work done (P 6.3).
  std::vector<double> work;
  // The same of each program, in the order of the domains. Empty unless the scenario shows
  // Measure::program_run_time.
  std::vector<double> program_progress;
  // Min-max ratio of progress over credits, of the domains with kernels (F 5.4.1).
  double mmr = 1;
  // Aggregated overhead (F 5.4.1): accelerators over the sum of all progress. Less than 1 means
  // that programs overlap.
  double overhead = 0;
};

// A domain's part of what its accelerator executed.
[[nodiscard]] double share(Outcome const& outcome, DomainOutcome const& domain);
// Of all its programs.
[[nodiscard]] std::uint64_t kernels(DomainOutcome const& domain);

// In the measurement, by any domain.
[[nodiscard]] bool executed_nothing(Outcome const& outcome);

// The measure's values: one, or one for each accelerator, domain or program. Infinity: it did not run.
[[nodiscard]] std::vector<double> values_of(Measure measure, Run const& run);

// Runs the scenario under each policy ("fair slice=2ms", "rr residency=size"), and tells the timeline of each run. The error names
// a policy or tunable that does not exist.
[[nodiscard]] tl::expected<std::vector<Run>, std::string>
run_policies(Scenario const& scenario, std::vector<std::string> const& policies, std::uint64_t seed,
             RunTimeline* timeline = nullptr);

} // namespace pegasus::sim
