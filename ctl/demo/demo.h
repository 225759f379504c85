// SPDX-License-Identifier: Apache-2.0
// pegasus demo: the same four domains under several policies, on a private daemon.
#pragma once

#include "ctl/failure.h"

#include <chrono>
#include <string>
#include <vector>

namespace pegasus::ctl {

struct DemoOptions {
  bool mixed = false;
  std::chrono::nanoseconds duration = std::chrono::seconds(6); // measured under each policy
  bool json = false;
  std::vector<std::string> policies{"none", "eevdf:hold=auto"};
  std::string accelerator; // empty: the daemon's own default
};

// Returns true if every program of every run verified its result. However it ends, nothing that it
// started is left.
[[nodiscard]] Result<bool> run_demo(DemoOptions const& options);

} // namespace pegasus::ctl
