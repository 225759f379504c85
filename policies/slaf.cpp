// SPDX-License-Identifier: Apache-2.0
#include "policies/slaf.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

Nanos part(double fraction, Nanos time) {
  return Nanos(static_cast<std::int64_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(time.count())));
}

} // namespace

SlaFeedback::SlaFeedback(Tunables const& tunables)
    : drr_(tunables), credit_slices_(drr_.tick(), accelerator_credits) {}

Decision SlaFeedback::decide(View const& view) {
  credit_slices_.update(view);
  scan(view);
  return drr_.decide(view, *this);
}

void SlaFeedback::scan(View const& view) {
  now_ = view.now;
  if (view.changed) {
    for (std::uint32_t const position : *view.changed)
      scan(view.domains[position], view.now);
  } else {
    std::erase_if(services_, [&](auto const& service) {
      return !std::ranges::binary_search(view.domains, service.first, {}, &DomainView::id);
    });
    for (DomainView const& domain : view.domains)
      scan(domain, view.now);
  }
  // Few domains have an SLO.
  Nanos const limit = drr_.tick() * max_slice_ticks;
  Nanos longest = limit;
  for (auto const& [id, service] : services_)
    if (auto const domain = std::ranges::lower_bound(view.domains, id, {}, &DomainView::id);
        domain != view.domains.end())
      longest = std::max(longest, credit_slices_.slice(*domain) + behind(service, Nanos{0}, now_));
  shrink_ = static_cast<double>(limit.count()) / static_cast<double>(longest.count());
}

void SlaFeedback::scan(DomainView const& domain, Time now) {
  if (!(domain.slo > 0)) {
    services_.erase(domain.id);
    return;
  }
  auto const [found, is_new] = services_.try_emplace(domain.id);
  Service& service = found->second;
  if (!is_new)
    service.behind = behind(service, std::max(domain.device_busy_total - service.total, Nanos{0}), now);
  bool const calls = domain.calls_waiting > 0;
  if (calls || service.calls) service.wants_until = now + drr_.tick() * pause_ticks;
  service.slo = domain.slo;
  service.total = domain.device_busy_total;
  service.calls = calls;
  service.scanned = now;
}

// What the domain is behind now, if it received `received` since the last scan.
Nanos SlaFeedback::behind(Service const& service, Nanos received, Time now) const {
  Time const until = service.calls ? now : std::min(now, service.wants_until);
  Nanos const promised = part(service.slo, std::max(until - service.scanned, Nanos{0}));
  return std::clamp(service.behind + promised - received, Nanos{0}, drr_.tick() * max_ticks_behind);
}

Nanos SlaFeedback::length(DomainView const& domain, bool fresh) const {
  Nanos length = credit_slices_.length(domain, fresh);
  // A tick behind is an extra tick: both are the same length of time.
  if (auto const service = services_.find(domain.id); service != services_.end())
    length += behind(service->second, Nanos{0}, now_);
  return shrink_ < 1 ? part(shrink_, length) : length;
}

void SlaFeedback::Service::visit(StateVisitor& state) {
  state.field("slo", slo);
  state.duration("total", total);
  state.duration("behind", behind);
  state.field("scanned", scanned);
  state.field("calls", calls);
  state.field("wants_until", wants_until);
}

// The rest is computed when it scans, before each decision.
void SlaFeedback::visit(StateVisitor& state) {
  state.field("rounds", drr_);
  state.field("slices", credit_slices_);
  state.field("services", services_);
}

} // namespace pegasus::policies
