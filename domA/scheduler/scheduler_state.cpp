// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/scheduler_state.h"

namespace pegasus::scheduler {

void SchedulerState::set(DomainRecord& domain, DomainSettings const& settings) {
  frozen += static_cast<std::size_t>(settings.frozen);
  frozen -= static_cast<std::size_t>(domain.settings.frozen);
  domain.settings = settings;
}

void SchedulerState::erase(DomainRecord& domain) {
  set(domain, {});
  debtors.erase(domain.id);
  views.forget(domain.id);
  demand.forget(domain);
  back_off.forget(domain);
  caps.forget(domain);
  reservations.forget(domain, now);
  records.erase(domain);
}

void SchedulerState::erase(TaskRecord& task) {
  pages.detach(task);
  orders.forget(task);
  runaways.forget(task);
  shared_tasks.forget(task.id);
  task.domain->tasks.detach(task);
  records.erase(task);
}

void SchedulerState::keep_out(std::vector<DomainId>& run) const {
  bool const bars = entry->accounts && back_off.any();
  if (!bars && !caps.any_spent() && frozen == 0) return;
  std::erase_if(run, [&](DomainId id) {
    DomainRecord const* const domain = records.find(id);
    return domain != nullptr &&
           (Caps::spent(*domain) || domain->settings.frozen || (bars && barred(*domain)));
  });
}

std::optional<Nanos> SchedulerState::cap_left(DomainId id) const {
  DomainRecord const* const domain = records.find(id);
  return domain == nullptr ? std::nullopt : Caps::left(*domain, now);
}

std::uint64_t SchedulerState::monotonic_ns(Time time) const {
  return static_cast<std::uint64_t>((time.time_since_epoch() + clock_at_zero).count());
}

} // namespace pegasus::scheduler
