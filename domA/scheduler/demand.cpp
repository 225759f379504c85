// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/demand.h"

#include "domA/scheduler/records.h"

#include <algorithm>

namespace pegasus::scheduler {

using policies::DomainId;

void Demand::set(DomainRecord& domain, bool wants, Time now) {
  State& state = domain.demand;
  if (state.wants || wants) state.wanted_at = now;
  if (wants && !state.wants) ++waiting_;
  if (state.wants && !wants) --waiting_;
  state.wants = wants;
}

void Demand::forget(DomainRecord& domain) {
  if (domain.demand.wants) --waiting_;
  domain.demand = {};
}

bool Demand::of_others(DomainRecord const& domain) const { return waiting_ > (domain.demand.wants ? 1 : 0); }

bool Demand::only(std::span<DomainId const> domains, Records const& records) const {
  auto const among = std::ranges::count_if(domains, [&](DomainId id) {
    DomainRecord const* const domain = records.find(id);
    return domain != nullptr && domain->demand.wants;
  });
  return static_cast<std::size_t>(among) == waiting_;
}

std::vector<DomainId> Demand::others(DomainRecord const& domain, Records const& records) {
  std::vector<DomainId> ids;
  for (auto const& [id, other] : records.domains())
    if (other.demand.wants && id != domain.id) ids.push_back(id);
  return ids;
}

std::optional<Time> Demand::wanted_at(DomainRecord const& domain, Time now) {
  return domain.demand.wants ? now : domain.demand.wanted_at;
}

} // namespace pegasus::scheduler
