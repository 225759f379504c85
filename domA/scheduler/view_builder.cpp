// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/view_builder.h"

#include "policies/state_of_view.h"

#include <algorithm>
#include <utility>

namespace pegasus::scheduler {

using policies::DomainView;

void ViewBuilder::set(DomainId id, DomainSettings const& settings, monitor::DomainUsage const& usage,
                      Standing const& standing) {
  bool const seen = usage.tasks > 0 || standing.in_debt;
  auto place = std::ranges::lower_bound(domains_, id, {}, &DomainView::id);
  if (!seen) return forget(id);
  if (place == domains_.end() || place->id != id) {
    place = domains_.insert(place, DomainView{.id = id});
    all_ = true;
  }
  DomainView domain = *place; // with its CPU schedule
  domain.credits = settings.credits;
  domain.slo = settings.slo;
  domain.latency_slice = settings.latency_slice;
  domain.tasks = usage.tasks;
  bool const hidden = standing.barred || standing.capped;
  domain.barred = hidden && usage.calls_waiting > 0;
  domain.capped = domain.barred && standing.capped;
  domain.calls_waiting = hidden ? 0 : usage.calls_waiting;
  if ((domain.calls_waiting > 0) != (place->calls_waiting > 0)) domain.calls_since = standing.now;
  domain.requests_waiting = hidden ? 0 : usage.requests_waiting;
  domain.on_device = usage.on_device;
  domain.context_established = usage.memory_bytes > 0;
  domain.sync_call_rate = usage.sync_call_rate;
  domain.sync_calls_total = usage.sync_calls;
  domain.device_busy_total = usage.device_busy - standing.excused;
  domain.host_charged_total = usage.host_charged;
  domain.memory_bytes = usage.memory_bytes;
  domain.debt = standing.debt;
  domain.calling_vcpu = standing.calling_vcpu;
  domain.average_wait = standing.average_wait;
  if (domain == *place) return;
  *place = domain;
  changed_.push_back(static_cast<std::uint32_t>(place - domains_.begin()));
}

void ViewBuilder::forget(DomainId id) {
  auto const place = std::ranges::lower_bound(domains_, id, {}, &DomainView::id);
  if (place == domains_.end() || place->id != id) return;
  domains_.erase(place);
  all_ = true;
}

policies::DomainView const* ViewBuilder::find(DomainId id) const {
  auto const place = std::ranges::lower_bound(domains_, id, {}, &DomainView::id);
  return place == domains_.end() || place->id != id ? nullptr : &*place;
}

policies::View ViewBuilder::view(bool reads_schedule, Time run_since, Time now) {
  if (reads_schedule && cpu_schedule_ != nullptr) read_schedule(now);
  std::ranges::sort(changed_);
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  std::swap(shown_, changed_);
  changed_.clear();
  policies::View view{.now = now, .run_since = run_since, .domains = domains_};
  if (!std::exchange(all_, false)) view.changed = shown_;
  return view;
}

// In place: a copy and a comparison of whole entries would cost more than the look.
void ViewBuilder::read_schedule(Time now) {
  for (std::uint32_t position = 0; DomainView & domain : domains_) {
    policies::CpuState const before =
        std::exchange(domain.cpu, cpu_schedule_->read({domain.id, domain.calling_vcpu}, now));
    if (domain.cpu != before) changed_.push_back(position);
    ++position;
  }
}

void DomainSettings::visit(policies::StateVisitor& state) {
  state.field("credits", credits);
  state.field("slo", slo);
  state.field("cap", cap);
  state.duration("latency_slice", latency_slice);
  state.field("frozen", frozen);
}

void ViewBuilder::visit(policies::StateVisitor& state) {
  state.accounts("domains", domains_);
  state.field("all", all_);
  if (all_) return; // nobody asks what changed, and the positions may be those of before a domain left
  state.field("changed", changed_);
  auto const fits = [this](std::uint32_t position) { return position < domains_.size(); };
  state.require(std::ranges::all_of(changed_, fits), "changed");
}

std::optional<std::vector<DomainId>> ViewBuilder::seen() const {
  if (all_) return std::nullopt;
  std::vector<DomainId> ids;
  for (DomainView const& domain : domains_)
    ids.push_back(domain.id);
  return ids;
}

} // namespace pegasus::scheduler
