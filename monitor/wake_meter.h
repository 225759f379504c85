// SPDX-License-Identifier: Apache-2.0
// How soon a vCPU runs after its domain's gate was opened, when the scheduler asked for that (Decision::wake,
// GPU- centric coscheduling, FairGV 3.2.3). Computed from what the hypervisor wrote of the vCPU before and
// after, so the look may come later than the event: a vCPU that has run since then began to when it stopped,
// less the time that it ran. (Longer than the truth if it ran in several pieces in between: never shorter.)
// One thread; reads no clock.
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
  std::uint64_t ran_already = 0; // nothing was to be done
  std::uint64_t waited = 0;      // for a pCPU: these the hypervisor is asked to let go first
  LatencyHistogram latency;      // of all that did not run already, if they came to run
};

class WakeMeter {
public:
  // The gate was opened at `at`; `before`: its vCPU then. All times by the hypervisor's clock.
  void opened(DomainId domain, Time at, VcpuSchedule const& before);
  // A later look at the same vCPU. True: it has run, or nothing is waited for.
  bool look(DomainId domain, VcpuSchedule const& after);

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
