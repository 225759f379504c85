// SPDX-License-Identifier: Apache-2.0
// What ran on each pCPU, above what ran on each accelerator, at the beginning of the measurement.
#pragma once

#include "sim/report/html/shown.h"

namespace pegasus::sim::html {

[[nodiscard]] std::string timelines_figure(Shown const& shown);

} // namespace pegasus::sim::html
