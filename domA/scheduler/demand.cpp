// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/demand.h"

#include "domA/scheduler/records.h"

#include <algorithm>
#include <iterator>

namespace pegasus::scheduler {

using policies::DomainId;

void Demand::set(DomainRecord& domain, bool wants, Time now) {
  State& state = domain.demand;
  if (state.wants || wants) state.wanted_at = now;
  if (wants && !state.wants) waiting_.insert(domain.id);
  if (state.wants && !wants) waiting_.erase(domain.id);
  state.wants = wants;
}

void Demand::forget(DomainRecord& domain) {
  if (domain.demand.wants) waiting_.erase(domain.id);
  domain.demand = {};
}

bool Demand::of_others(DomainRecord const& domain) const {
  return waiting_.size() > (domain.demand.wants ? 1 : 0);
}

bool Demand::only(std::span<DomainId const> domains) const {
  return std::ranges::includes(domains, waiting_);
}

std::vector<DomainId> Demand::others(DomainRecord const& domain) const {
  std::vector<DomainId> ids;
  std::ranges::remove_copy(waiting_, std::back_inserter(ids), domain.id);
  return ids;
}

std::optional<Time> Demand::wanted_at(DomainRecord const& domain, Time now) {
  return domain.demand.wants ? now : domain.demand.wanted_at;
}

void Demand::State::visit(policies::StateVisitor& state) {
  state.field("wants", wants);
  state.field("wanted_at", wanted_at);
}

void Demand::restore(Records const& records) {
  for (auto const& [id, domain] : records.domains())
    if (domain.demand.wants) waiting_.insert(id);
}

} // namespace pegasus::scheduler
