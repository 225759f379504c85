// SPDX-License-Identifier: Apache-2.0
// The first table of a scenario: policies by the metrics that compare them.
#pragma once

#include "sim/report/scenario_runs.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pegasus::sim {

struct Metric {
  enum class Best { least, greatest };

  std::string_view name; // as people read it
  std::string_view key;  // as programs do
  Best best;
  std::optional<double> (*value)(Run const&); // nullopt: the run did nothing of the kind
  std::string (*text)(double);
};
// Min-max ratio and overhead, which the heading of each policy's table repeats, are the first two.
[[nodiscard]] std::span<Metric const> metrics();

struct SummaryCell {
  std::optional<Estimate> estimate;
  std::string text;  // "-" without an estimate
  bool best = false; // of its column; nothing is if all are equal
};
struct SummaryRow {
  std::string policy;
  std::vector<SummaryCell> cells; // one for each metric
};
[[nodiscard]] std::vector<SummaryRow> summary_of(ScenarioRuns const& of);

// "0.997", or "0.997 +- 0.002" if there is an interval.
[[nodiscard]] std::string text_of(Estimate const& estimate, std::string (*text)(double));
[[nodiscard]] std::string ratio_text(double value);

// What a reader must know of the table and of those of each policy; only what occurs in them. `best` is how a
// table marks the best.
[[nodiscard]] std::vector<std::string>
legend_of(ScenarioRuns const& of, std::vector<SummaryRow> const& summary, std::string const& best = "*");

} // namespace pegasus::sim
