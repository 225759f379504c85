// SPDX-License-Identifier: Apache-2.0
// The result of one workload program: its `result: {json}` line, its PASS, its exit status.
#pragma once

#include "ctl/process/child.h"

#include <string>
#include <string_view>

namespace pegasus::ctl {

struct Outcome {
  double work_per_s = 0;
  std::string unit; // of the work: options, kernels
  bool verified = false;
  std::string problem; // why it is not verified, in one sentence
};

[[nodiscard]] Outcome read_outcome(std::string_view output, Ended ended);

} // namespace pegasus::ctl
