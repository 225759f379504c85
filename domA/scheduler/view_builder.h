// SPDX-License-Identifier: Apache-2.0
// The only place where a View is made, from operators' settings, metered usage and the CPU schedule. Its
// contents are kept from one View to the next; the caller reports each change to a domain with set().
#pragma once

#include "domA/scheduler/cpu_schedule.h"
#include "monitor/usage_meter.h"
#include "policies/state_visitor.h"

#include <optional>
#include <vector>

namespace pegasus::scheduler {

using policies::DomainId;
using policies::Nanos;
using policies::Time;

// A domain's settings, as operators make them.
struct DomainSettings {
  std::uint32_t credits = policies::default_credits;
  double slo = 0;
  double cap = 0;         // the most that it may have of the device's time; 0: no limit
  Nanos latency_slice{0}; // 0: the policy's own
  bool frozen = false;    // it waits, whatever it has

  void visit(policies::StateVisitor& state);
};

class ViewBuilder {
public:
  // `cpu_schedule` may be nullptr: then nothing is known about the CPUs.
  explicit ViewBuilder(CpuSchedule* cpu_schedule) : cpu_schedule_(cpu_schedule) {}

  struct Standing {
    Time now;
    std::uint32_t calling_vcpu; // the vCPU of its next call
    Nanos average_wait;
    bool barred;      // its calls are hidden, because it overran
    bool capped;      // ... because it has had all that it may have, or is frozen
    bool in_debt;     // it is shown even without tasks
    Nanos debt{0};    // under the previous policy
    Nanos excused{0}; // device time of which policies do not know
  };
  // The current state of the domain. It is in the View if it has tasks or is in debt.
  void set(DomainId domain, DomainSettings const& settings, monitor::DomainUsage const& usage,
           Standing const& standing);
  void forget(DomainId domain);
  // As of the last set() and view(); nullptr if it is not in the View.
  [[nodiscard]] policies::DomainView const* find(DomainId domain) const;

  // The spans of the View live until the next call of set(), forget() or view(). The CPU schedule is read
  // only for a policy that needs it: this costs a look at a vCPU of each domain.
  [[nodiscard]] policies::View view(bool reads_schedule, Time run_since, Time now);
  void begin_anew() { all_ = true; } // the next View goes to another policy: everything is new to it

  void visit(policies::StateVisitor& state);
  // The domains of the last View; nullopt if the next one names all.
  [[nodiscard]] std::optional<std::vector<DomainId>> seen() const;

private:
  void read_schedule(Time now);

  CpuSchedule* cpu_schedule_;
  std::vector<policies::DomainView> domains_; // by id
  std::vector<std::uint32_t> changed_;        // positions, since the last View
  std::vector<std::uint32_t> shown_;          // ... at the last View
  bool all_ = true;                           // domains came or went
};

} // namespace pegasus::scheduler
