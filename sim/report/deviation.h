// SPDX-License-Identifier: Apache-2.0
// How far the replay of a recording, under the recorded policy, is from what happened.
#pragma once

#include "sim/report/metrics.h"

#include <optional>
#include <string>
#include <vector>

namespace pegasus::sim {

struct Deviation {
  std::string domain;
  double share = 0;                         // the replay's less the recorded one, in points of a hundred
  std::optional<double> device_time, calls; // in percent of the recorded ones; nullopt: there were none
};

// Of each recorded domain, in the order of the recording; empty if the run has another policy, or nothing was
// recorded. Device time and calls are compared by unit of time: the scenario may have another duration.
[[nodiscard]] std::vector<Deviation> deviations(Scenario const& scenario, Run const& run);

} // namespace pegasus::sim
