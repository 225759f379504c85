// SPDX-License-Identifier: Apache-2.0
// Plots with one bar for each policy: work done, fairness, and what the accelerators' time was.
#pragma once

#include "sim/report/html/shown.h"

namespace pegasus::sim::html {

[[nodiscard]] std::string work_figure(Shown const& shown);
[[nodiscard]] std::string fairness_figure(Shown const& shown);
[[nodiscard]] std::string device_time_figure(Shown const& shown);

} // namespace pegasus::sim::html
