// SPDX-License-Identifier: Apache-2.0
// How soon a vCPU runs after its domain's gate was opened, when the scheduler asked for that
// (Decision::wake, GPU-centric coscheduling, FairGV 3.2.3). Computed from the vCPU's schedule entries before
// and after, so the sample may come later than the event. A vCPU that has run since then began when it
// stopped, less the time that it ran. If it ran in several pieces in between, the result is too long, never
// too short. One thread; reads no clock.
#pragma once

#include "monitor/latency_histogram.h"
#include "monitor/schedule_reader.h"

#include <cstdint>
#include <map>
#include <optional>

namespace pegasus::monitor {

using policies::DomainId;
using policies::Time;

struct WakeUps {
  std::uint64_t ran_already = 0; // it was running already
  std::uint64_t waited = 0;      // for a pCPU: the hypervisor is asked to run these first
  LatencyHistogram latency;      // of all that were not running already and came to run
};

class WakeMeter {
public:
  // The gate was opened at `at`; `before` is the schedule of its vCPU then. All times by
  // the hypervisor's clock.
  void opened(DomainId domain, Time at, VcpuSchedule const& before);
  // A later sample of the same vCPU. Returns true if it has run, or if no wake-up is pending.
  bool sample(DomainId domain, VcpuSchedule const& after);

  [[nodiscard]] WakeUps const& of(DomainId domain) const;
  void forget(DomainId domain) { domains_.erase(domain); }
  void reset() { domains_.clear(); }

private:
  struct Pending {
    Time at;
    Nanos had_run;
  };
  struct Domain {
    WakeUps wake_ups;
    std::optional<Pending> pending;
  };
  std::map<DomainId, Domain> domains_;
};

} // namespace pegasus::monitor
