// SPDX-License-Identifier: Apache-2.0
// The steps of a scenario's program that do what a domain's task did in a phase, on average.
#pragma once

#include "ctl/record/interval.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::ctl {

struct Steps {
  std::vector<std::string> steps; // "call 2ms", as sim/README.md describes them
  std::uint64_t rounds = 1;       // that fill the phase
};

// Each of the domain's tasks makes an equal part of its calls. After each synchronous call it computes for
// the time that is left between them. `phase` is not idle.
[[nodiscard]] Steps steps_of(Interval const& phase);
// Sleeps.
[[nodiscard]] Steps pause_of(std::uint64_t ns);

} // namespace pegasus::ctl
