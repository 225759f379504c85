// SPDX-License-Identifier: Apache-2.0
// The only place where a View is made: operators' settings, metered usage and the CPU schedule become what a
// policy sees. It is kept from one View to the next; whoever has news of a domain says so.
#pragma once

#include "domA/scheduler/cpu_schedule.h"
#include "monitor/usage_meter.h"

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
  Nanos latency_slice{0}; // 0: the policy's own
};

class ViewBuilder {
public:
  // `cpu_schedule` may be null: nothing is known of the CPUs.
  explicit ViewBuilder(CpuSchedule* cpu_schedule) : cpu_schedule_(cpu_schedule) {}

  struct Standing {
    std::uint32_t calling_vcpu; // of its next call
    Nanos average_wait;
    bool barred;   // its calls are not to be seen
    bool in_debt;  // it is to be seen even without tasks
    Nanos debt{0}; // under the policy before
  };
  // As the domain is now; in the View if it has tasks or is in debt.
  void set(DomainId domain, DomainSettings const& settings, monitor::DomainUsage const& usage,
           Standing const& standing);
  void forget(DomainId domain);

  // Its spans live until the next call of set(), forget() or view(). The CPU schedule is read only for a
  // policy that wants it: it costs a look at a vCPU of each domain.
  [[nodiscard]] policies::View view(bool reads_schedule, Time run_since, Time now);
  void begin_anew() { all_ = true; } // another policy looks from now on: everything is new to it

private:
  void read_schedule(Time now);

  CpuSchedule* cpu_schedule_;
  std::vector<policies::DomainView> domains_; // by id
  std::vector<std::uint32_t> changed_;        // positions, since the last View
  std::vector<std::uint32_t> shown_;          // ... as the last View had them
  bool all_ = true;                           // domains came or went
};

} // namespace pegasus::scheduler
