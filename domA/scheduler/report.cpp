// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/report.h"

#include <algorithm>

namespace pegasus::scheduler {

std::optional<DomainId> Report::domain_of(TaskId task) const {
  TaskRecord const* const known = state_.records.find(task);
  return known == nullptr ? std::nullopt : std::optional(known->domain->id);
}

bool Report::given_up(TaskId id) const {
  TaskRecord const* const task = state_.records.find(id);
  return task != nullptr && task->conduct.given_up;
}

bool Report::disobeyed(TaskId id) const {
  TaskRecord const* const task = state_.records.find(id);
  return task != nullptr && task->conduct.given_up && task->order && task->order->posted;
}

std::vector<Caller> Report::on_device(gate::Gate const& gate) const {
  std::vector<Caller> callers;
  for (auto const* const tasks : {&gate.opened(), &gate.draining()})
    for (TaskId const id : *tasks) {
      TaskRecord const& task = state_.records.at(id);
      // Read now; the last point may be out of date.
      if (task.usage_page->executing_since_ns.load(std::memory_order_relaxed) != 0)
        callers.push_back({task.domain->id, task.usage_page->last_vcpu.load(std::memory_order_relaxed)});
    }
  return callers;
}

std::uint32_t Report::calling_vcpu(DomainId id) const {
  DomainRecord const* const domain = state_.records.find(id);
  return domain == nullptr ? 0 : scheduler::calling_vcpu(*domain);
}

monitor::DomainUsage Report::usage_since_reset(DomainId id) const {
  DomainRecord const* const domain = state_.records.find(id);
  return domain == nullptr ? monitor::DomainUsage{} : domain->baseline.since(domain->usage);
}

monitor::LatencyHistogram const& Report::latency(DomainId id) const {
  static const monitor::LatencyHistogram nothing;
  DomainRecord const* const domain = state_.records.find(id);
  return domain == nullptr ? nothing : domain->latency;
}

monitor::Service Report::service(DomainId id) const {
  DomainRecord const* const domain = state_.records.find(id);
  return domain == nullptr ? monitor::Service{} : domain->service.service(state_.now);
}

Conduct Report::conduct(DomainId id) const {
  DomainRecord const* const domain = state_.records.find(id);
  if (domain == nullptr) return {};
  return {.debt = std::max(domain->debt, state_.policy->debt(id)),
          .killed = domain->killed,
          .barred_until = state_.reservations.gives(*domain) ? Time{} : BackOff::until(*domain),
          .capped = Caps::spent(*domain)};
}

} // namespace pegasus::scheduler
