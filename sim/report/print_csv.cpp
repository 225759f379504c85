// SPDX-License-Identifier: Apache-2.0
#include "sim/report/print.h"

#include "sim/report/csv.h"
#include "sim/report/summary.h"
#include "sim/report/units.h"

#include <fmt/ranges.h>

namespace pegasus::sim {
namespace {

void add_rows(Csv& csv, ScenarioRuns const& of, Run const& run) {
  for (std::size_t i = 0; i < run.progress.size(); ++i) {
    DomainOutcome const& domain = run.outcome.domains[i];
    csv.add(of.name).add(of.scenario.variant);
    csv.add(fmt::format("{}", fmt::join(of.scenario.settings, ", ")));
    csv.add(run.policy).add(run.seed).add(seconds(run.outcome.duration));
    csv.add(domain.name).add(domain.credits).add(domain.accelerator).add(kernels(domain));
    csv.add(share(run.outcome, domain)).add(run.progress[i]).add(run.work[i]);
    csv.add(seconds(domain.device)).add(seconds(domain.cpu));
    for (double const us :
         {domain.wait_p50_us, domain.wait_p99_us, domain.wait_mean_us, domain.wait_deviation_us})
      csv.add(domain.wait_p99_us > 0 ? std::optional(us) : std::nullopt);
    for (Metric const& metric : metrics())
      csv.add(metric.value(run));
    csv.end_row();
  }
}

} // namespace

std::string as_csv(std::span<ScenarioRuns const> all) {
  Csv csv({"scenario",
           "vary",
           "set",
           "policy",
           "seed",
           "duration_s",
           "domain",
           "credits",
           "accelerator",
           "kernels",
           "share",
           "progress",
           "work_done",
           "device_s",
           "cpu_s",
           "wait_p50_us",
           "wait_p99_us",
           "wait_mean_us",
           "wait_deviation_us",
           "min_max_ratio",
           "overhead",
           "progress_sum",
           "worst_wait_p99_us"});
  for (ScenarioRuns const& of : all) {
    // In the order of policies, as printed.
    for (std::size_t policy = 0; policy < of.runs.size(); ++policy) {
      if (of.seeds.empty()) add_rows(csv, of, of.runs[policy]);
      for (std::vector<Run> const& runs : of.seeds)
        add_rows(csv, of, runs[policy]);
    }
  }
  return csv.text();
}

} // namespace pegasus::sim
