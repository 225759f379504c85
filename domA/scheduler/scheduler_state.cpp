// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/scheduler_state.h"

#include "policies/state_of_view.h"

namespace pegasus::scheduler {

void SchedulerState::set(DomainRecord& domain, DomainSettings const& settings) {
  frozen += static_cast<std::size_t>(settings.frozen);
  frozen -= static_cast<std::size_t>(domain.settings.frozen);
  domain.settings = settings;
}

void SchedulerState::visit(policies::StateVisitor& state) {
  state.field("now", now);
  state.field("views", views);
  state.field("changes", changes);
  state.field("unclaimed", unclaimed);
  state.field("meter", meter);
  state.field_with("shared_tasks", shared_tasks, records);
  state.field_with("back_off", back_off, records);
  state.field_with("reservations", reservations, records);
  state.field("debtors", debtors);
  state.field("decision", decision);
  state.time_or("promised", promised, Time::max());
  if (!state.restoring()) return;
  pages.restore(records);
  runaways.restore(records);
  orders.restore(records);
  caps.restore(records);
  demand.restore(records);
  for (auto const& [id, domain] : records.domains())
    frozen += static_cast<std::size_t>(domain.settings.frozen);
  auto const known = [this](DomainId id) { return records.find(id) != nullptr; };
  state.require(std::ranges::all_of(debtors, known), "debtors");
  state.require(std::ranges::all_of(decision.run, known), "decision");
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
