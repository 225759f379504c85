// SPDX-License-Identifier: Apache-2.0
// Plots of what part of each accelerator's time each domain had, over the measurement.
#pragma once

#include "sim/report/html/shown.h"

namespace pegasus::sim::html {

[[nodiscard]] std::string shares_figure(Shown const& shown);

} // namespace pegasus::sim::html
