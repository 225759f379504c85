// SPDX-License-Identifier: Apache-2.0
// Plot of how long each domain's programs wait for the accelerator.
#pragma once

#include "sim/report/html/shown.h"

namespace pegasus::sim::html {

[[nodiscard]] std::string waits_figure(Shown const& shown);

} // namespace pegasus::sim::html
