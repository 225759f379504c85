// SPDX-License-Identifier: Apache-2.0
// The figures of the demonstration, one run per policy, as table and as JSON. Pure.
#pragma once

#include "control/control.pb.h"
#include "ctl/demo/outcome.h"
#include "ctl/demo/scenario.h"
#include "ctl/text/json.h"

#include <string>
#include <vector>

namespace pegasus::ctl {

struct DomainReport {
  std::string domain;
  std::uint32_t credits = 0;
  double target_share = 0;
  double received_share = 0;
  double latency_p50_us = 0;
  double latency_p99_us = 0;
  Outcome outcome;
};

struct RunReport {
  std::string policy;
  double mmr = 0;
  double utilization = 0;
  std::vector<DomainReport> domains;

  [[nodiscard]] bool verified() const; // true if there are domains and all are verified
};

// `measured`: the daemon's figures at the end of the window. `outcomes` are in the order of `domains`.
[[nodiscard]] RunReport make_report(std::string policy, std::vector<DemoDomain> const& domains,
                                    control::Domains const& measured, std::vector<Outcome> const& outcomes);

[[nodiscard]] std::string report_text(RunReport const& run);
[[nodiscard]] Json report_json(std::vector<RunReport> const& runs);

} // namespace pegasus::ctl
