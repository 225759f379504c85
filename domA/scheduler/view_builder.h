// SPDX-License-Identifier: Apache-2.0
// The only place where a View is made: operators' settings, metered usage and the CPU schedule become what a
// policy sees.
#pragma once

#include "domA/scheduler/cpu_schedule.h"
#include "monitor/usage_meter.h"

#include <map>
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

  // Domains with tasks, ordered by id; the View's span lives until the next call. The CPU schedule is read
  // only for a policy that wants it: it costs a look at each vCPU.
  [[nodiscard]] policies::View build(std::map<DomainId, DomainSettings> const& domains,
                                     monitor::UsageMeter const& meter, bool reads_schedule, Time now);

private:
  CpuSchedule* cpu_schedule_;
  std::vector<policies::DomainView> views_;
};

} // namespace pegasus::scheduler
