// SPDX-License-Identifier: Apache-2.0
#include "sim/report/summary.h"

#include "sim/report/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace pegasus::sim {
namespace {

// Both are infinite of a run that did nothing.
std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<double> fairness(Run const& run) { return if_finite(values_of(Measure::mmr, run).front()); }
std::optional<double> overhead(Run const& run) {
  return if_finite(values_of(Measure::overhead, run).front());
}

std::optional<double> progress_sum(Run const& run) {
  if (executed_nothing(run.outcome)) return std::nullopt;
  return std::accumulate(run.progress.begin(), run.progress.end(), 0.0);
}

std::optional<double> worst_wait(Run const& run) {
  double worst = 0;
  for (DomainOutcome const& domain : run.outcome.domains)
    worst = std::max(worst, domain.wait_p99_us);
  return worst > 0 ? std::optional(worst) : std::nullopt;
}

void mark_best(std::vector<SummaryRow>& rows, std::size_t column, Metric const& metric) {
  std::vector<SummaryCell*> cells;
  for (SummaryRow& row : rows)
    if (row.cells[column].estimate) cells.push_back(&row.cells[column]);
  if (cells.empty()) return;
  auto const mean = [](SummaryCell const* cell) { return cell->estimate->mean; };
  auto const [least, greatest] = std::ranges::minmax_element(cells, {}, mean);
  // Values that a reader cannot tell apart are equal.
  std::string const best = metric.text(mean(metric.best == Metric::Best::least ? *least : *greatest));
  if (metric.text(mean(*least)) == metric.text(mean(*greatest))) return;
  for (SummaryCell* const cell : cells)
    cell->best = metric.text(mean(cell)) == best;
}

} // namespace

std::string ratio_text(double value) { return fmt::format("{:.3f}", value); }

std::string text_of(Estimate const& estimate, std::string (*text)(double)) {
  std::string const mean = text(estimate.mean);
  return estimate.interval ? fmt::format("{} +- {}", mean, text(*estimate.interval)) : mean;
}

std::span<Metric const> metrics() {
  using Best = Metric::Best;
  static constexpr std::array<Metric, 4> all{
      {{"min-max ratio", "min_max_ratio", Best::greatest, fairness, ratio_text},
       {"overhead", "overhead", Best::least, overhead, ratio_text},
       {"progress sum", "progress_sum", Best::greatest, progress_sum, ratio_text},
       {"worst p99 wait", "worst_wait_p99_us", Best::least, worst_wait, time_text}}};
  return all;
}

std::vector<SummaryRow> summary_of(ScenarioRuns const& of) {
  std::vector<SummaryRow> rows;
  for (std::size_t policy = 0; policy < of.runs.size(); ++policy) {
    SummaryRow& row = rows.emplace_back();
    row.policy = of.runs[policy].policy;
    for (Metric const& metric : metrics()) {
      SummaryCell& cell = row.cells.emplace_back();
      cell.estimate = estimate_of(of, policy, metric.value);
      cell.text = cell.estimate ? text_of(*cell.estimate, metric.text) : "-";
    }
  }
  for (std::size_t column = 0; column < metrics().size(); ++column)
    mark_best(rows, column, metrics()[column]);
  return rows;
}

std::vector<std::string> legend_of(ScenarioRuns const& of, std::vector<SummaryRow> const& summary,
                                   std::string const& best) {
  std::vector<std::string> lines{"overhead: accelerators over the sum of progress; less than 1 is better "
                                 "than alone, as programs overlap"};
  auto const any_best = [](SummaryRow const& row) {
    return std::ranges::any_of(row.cells, &SummaryCell::best);
  };
  if (std::ranges::any_of(summary, any_best)) lines.push_back(best + ": the best of its column");
  auto const any_empty = [](Run const& run) {
    return std::ranges::any_of(run.outcome.domains, [](DomainOutcome const& domain) {
      return kernels(domain) == 0 || !(domain.wait_p99_us > 0);
    });
  };
  if (std::ranges::any_of(of.runs, any_empty))
    lines.emplace_back("-: no kernels in the measurement, or no waits");
  if (of.seeds.empty()) return lines;
  std::uint64_t const first = of.seeds.front().front().seed;
  if (of.seeds.size() == 1)
    lines.emplace_back("one seed has no confidence interval");
  else
    lines.push_back(
        fmt::format("+-: 95 % confidence interval (Student's t) of the mean of {} seeds, {} to {}; all "
                    "without it is of seed {}",
                    of.seeds.size(), first, of.seeds.back().front().seed, first));
  if (!is_random(of.scenario))
    lines.emplace_back(
        "nothing in this scenario is random (no program has a spread): all seeds give the same");
  return lines;
}

} // namespace pegasus::sim
