// SPDX-License-Identifier: Apache-2.0
// What was seen of a daemon for some time.
#pragma once

#include "ctl/record/interval.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pegasus::ctl {

struct RecordedDomain {
  std::string name;
  std::string program; // of the first task that was seen; empty: none
  std::uint32_t credits = 0;
  double slo = 0;
  std::uint64_t latency_slice_ns = 0; // 0: the policy's own
  std::uint32_t accelerator = 0;      // its last one
  std::uint32_t cpu_weight = 0;       // 0: not known
  bool estimated = false;             // its device time
  std::vector<Interval> intervals;    // the same ones of each domain
};

struct Recording {
  std::string policy; // with the tunables that differ from the usual values: "fair slice=2ms"
  std::string tick;   // the daemon's, "10ms"; empty: no policy has one
  std::vector<std::uint64_t> switch_costs_ns; // of each accelerator
  std::vector<RecordedDomain> domains;        // in the order in which they were seen
};

} // namespace pegasus::ctl
