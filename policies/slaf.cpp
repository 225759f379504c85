// SPDX-License-Identifier: Apache-2.0
#include "policies/slaf.h"

#include <algorithm>

namespace pegasus::policies {

namespace {

Nanos part(double fraction, Nanos time) {
  return Nanos(static_cast<std::int64_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(time.count())));
}

} // namespace

SlaFeedback::SlaFeedback(Tunables const& tunables) : turns_(tunables.tick) {}

void SlaFeedback::scan(View const& view) {
  const Nanos elapsed = std::max(view.now - scanned_, Nanos{0});
  scanned_ = view.now;
  std::map<DomainId, Service> present;
  for (DomainView const& domain : view.domains) {
    const auto known = services_.find(domain.id);
    Service& service = present[domain.id];
    if (known != services_.end()) {
      const Nanos received = std::max(domain.device_busy_total - known->second.total, Nanos{0});
      service.wants_until = known->second.wants_until;
      const bool wanted = known->second.calls || known->second.wants_until >= view.now;
      const Nanos promised = wanted ? part(domain.slo, elapsed) : Nanos{0};
      service.behind =
          std::clamp(known->second.behind + promised - received, Nanos{0}, turns_.tick() * most_ticks_behind);
    }
    service.total = domain.device_busy_total;
    service.calls = domain.calls_waiting > 0;
    if (service.calls) service.wants_until = view.now + turns_.tick() * pause_ticks;
  }
  services_ = std::move(present);
}

Decision SlaFeedback::decide(View const& view) {
  scan(view);
  std::vector<TurnKeeper::Turn> turns = credit_turns(view, turns_.tick(), accelerator_credits);
  shorten_for_newcomers(turns, turns_);
  Nanos longest{0};
  for (auto& [domain, length] : turns) {
    // A tick behind is an extra tick: both are the same length of time.
    if (domain->slo > 0) length += services_.at(domain->id).behind;
    longest = std::max(longest, length);
  }
  const Nanos limit = turns_.tick() * longest_turn_ticks;
  if (longest > limit)
    for (auto& [domain, length] : turns)
      length = Nanos(
          static_cast<std::int64_t>(static_cast<double>(length.count()) * static_cast<double>(limit.count()) /
                                    static_cast<double>(longest.count())));
  return turns_.decide(view, turns);
}

} // namespace pegasus::policies
