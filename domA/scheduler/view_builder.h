// SPDX-License-Identifier: Apache-2.0
// The only place where a View is made: operators' settings, metered usage and the CPU schedule become what a
// policy sees.
#pragma once

#include "domA/scheduler/cpu_schedule.h"
#include "monitor/usage_meter.h"
#include "policies/view_changes.h"

#include <vector>

namespace pegasus::scheduler {

using policies::DomainId;
using policies::Nanos;
using policies::Time;

// What operators say of a domain.
struct DomainSettings {
  std::uint32_t credits = policies::default_credits;
  std::uint32_t cpu_weight = policies::default_credits;
  double slo = 0;
};

class ViewBuilder {
public:
  // `cpu_schedule` may be null: nothing is known of the CPUs.
  explicit ViewBuilder(CpuSchedule* cpu_schedule) : cpu_schedule_(cpu_schedule) {}

  void begin() { views_.clear(); }
  struct Standing {
    bool barred;   // its calls are not to be seen
    bool in_debt;  // it is to be seen even without tasks
    Nanos debt{0}; // under the policy before
  };
  // In the order of ids.
  void add(DomainId domain, DomainSettings const& settings, monitor::UsageMeter const& meter,
           Standing const& standing);
  // What was added since begin(); the View's span lives until then. The CPU schedule is read only for a
  // policy that wants it: it costs a look at each vCPU.
  [[nodiscard]] policies::View view(bool reads_schedule, Time run_since, Time now);
  void forget() { changes_.forget(); } // another policy looks from now on: everything is new to it

private:
  CpuSchedule* cpu_schedule_;
  std::vector<policies::DomainView> views_;
  policies::ViewChanges changes_;
};

} // namespace pegasus::scheduler
