// SPDX-License-Identifier: Apache-2.0
// Plots of each domain's throughput, with its distribution over the intervals of the measurement
// (Pegasus, section 6.3).
#pragma once

#include "sim/report/html/shown.h"

namespace pegasus::sim::html {

// A domain's progress in each interval: that of the whole run, divided over the intervals as its
// device time is.
[[nodiscard]] std::vector<double> interval_progress(Run const& run, RunRecord const& record,
                                                    std::size_t domain);
[[nodiscard]] std::string throughput_figures(Shown const& shown);

} // namespace pegasus::sim::html
