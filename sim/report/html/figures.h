// SPDX-License-Identifier: Apache-2.0
// The parts of a scenario's page: its table, and one function for each of its figures.
#pragma once

#include "sim/report/html/shown.h"
#include "sim/report/scenario_runs.h"

#include <string>
#include <vector>

namespace pegasus::sim::html {

// The table of policies by metrics, with which a scenario's part of the page begins. sort.js sorts it by the
// values in `data-value`.
[[nodiscard]] std::string summary_table(ScenarioRuns const& of);

// One bar for each policy: work done, fairness, and what the accelerators' time was.
[[nodiscard]] std::string work_figure(Shown const& shown);
[[nodiscard]] std::string fairness_figure(Shown const& shown);
[[nodiscard]] std::string device_time_figure(Shown const& shown);

// Each domain's throughput, with its distribution over the intervals of the measurement (Pegasus, section 6.3).
[[nodiscard]] std::string throughput_figures(Shown const& shown);
// A domain's progress in each interval: that of the whole run, divided over the intervals as its
// device time is.
[[nodiscard]] std::vector<double> interval_progress(Run const& run, RunRecord const& record,
                                                    std::size_t domain);

// What part of each accelerator's time each domain had, over the measurement.
[[nodiscard]] std::string shares_figure(Shown const& shown);

// How long each domain's programs wait for the accelerator.
[[nodiscard]] std::string waits_figure(Shown const& shown);

// What ran on each pCPU, above what ran on each accelerator, at the beginning of the measurement.
[[nodiscard]] std::string timelines_figure(Shown const& shown);

} // namespace pegasus::sim::html
