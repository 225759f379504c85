// SPDX-License-Identifier: Apache-2.0
// What pegasusd and operators are told about domains and tasks. Of one that is unknown: nothing, zero or false.
#pragma once

#include "domA/gate/gate.h"
#include "domA/scheduler/scheduler_state.h"

#include <optional>
#include <vector>

namespace pegasus::scheduler {

// A domain's conduct, as operators see it.
struct Conduct {
  Nanos debt{0}; // device time beyond its share, as the policy accounts it
  // Since the reset: tasks whose calls kept others waiting for longer than the limit.
  std::uint64_t killed = 0;
  // Its calls are hidden from the policy until then (back_off.h); not while a reservation lets it run.
  Time barred_until{};
  bool capped = false; // its calls are hidden until its cap lets it have the device again (caps.h)
};

class Report {
public:
  explicit Report(SchedulerState const& state) : state_(state) {}

  [[nodiscard]] monitor::DomainUsage usage_since_reset(DomainId domain) const;
  [[nodiscard]] monitor::LatencyHistogram const& latency(DomainId domain) const; // since the reset
  [[nodiscard]] monitor::Service service(DomainId domain) const;
  [[nodiscard]] Conduct conduct(DomainId domain) const;
  // The vCPU from which its next call comes, as the guest reports it; 0 if it has no tasks.
  [[nodiscard]] std::uint32_t calling_vcpu(DomainId domain) const;
  [[nodiscard]] std::optional<DomainId> domain_of(TaskId task) const;
  // Callers with work on the device, by their workers.
  [[nodiscard]] std::vector<Caller> on_device(gate::Gate const& gate) const;
  // This task, not an earlier one with its number.
  [[nodiscard]] bool given_up(TaskId task) const;
  // It was given up because its worker did not obey an order.
  [[nodiscard]] bool disobeyed(TaskId task) const;

private:
  SchedulerState const& state_;
};

} // namespace pegasus::scheduler
