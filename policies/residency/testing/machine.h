// SPDX-License-Identifier: Apache-2.0
// An accelerator's memory under a residency policy, in virtual time: domains come, leave and have turns, and the granules
// that are copied are counted. A granule has one byte here.
#pragma once

#include "policies/residency/arrange.h"
#include "policies/residency/holders.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace pegasus::residency::testing {

class Machine {
public:
  Machine(std::string_view policy, std::uint64_t slots, Tunables const& tunables = {})
      : policy_(*find(policy)), slots_(slots), tunables_(tunables) {}

  // A new domain, or the one of that id to be changed. Ids come in ascending order.
  DomainView& domain(DomainId id) {
    auto const known = std::ranges::find(domains_, id, &DomainView::id);
    return known != domains_.end() ? *known : domains_.emplace_back(DomainView{.id = id});
  }
  Machine& come(DomainId id, std::uint64_t bytes, double turns = 1, double utilization = 0) {
    DomainView& view = domain(id);
    view.bytes = bytes;
    view.turns_per_second = turns;
    view.utilization = utilization;
    return *this;
  }
  Machine& leave(DomainId id) {
    std::erase_if(domains_, [id](DomainView const& each) { return each.id == id; });
    holders_.forget(id);
    return *this;
  }

  // Asks, and carries the Plan out.
  Plan const& at(Nanos time) {
    plan_ = arrange(policy_,
                    {.now = Time{time},
                     .arranged_at = plan_.arranged_at,
                     .capacity = slots_,
                     .granule = 1,
                     .domains = domains_},
                    tunables_);
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      if (domains_[i].place != plan_.domains[i].place) holders_.forget(domains_[i].id);
      domains_[i].place = plan_.domains[i].place;
    }
    return plan_;
  }

  [[nodiscard]] Place const& place(DomainId id) { return domain(id).place; }
  [[nodiscard]] DomainPlan const& plan(DomainId id) const {
    return *std::ranges::find(plan_.domains, id, &DomainPlan::id);
  }
  Copies turn(DomainId id) { return holders_.take(id, place(id)); }

  // Granules copied in, in so many rounds of a round robin: a domain with half of the turns of another has one in
  // every second round.
  std::uint64_t rounds(unsigned count) {
    double most = 0;
    for (DomainView const& each : domains_)
      most = std::max(most, each.turns_per_second);
    std::vector<double> due(domains_.size(), 0);
    std::uint64_t copied = 0;
    for (unsigned round = 0; round < count; ++round)
      for (std::size_t i = 0; i < domains_.size(); ++i) {
        due[i] += domains_[i].turns_per_second / most;
        if (due[i] < 1) continue;
        due[i] -= 1;
        copied += turn(domains_[i].id).in;
      }
    return copied;
  }

private:
  Entry const& policy_;
  std::uint64_t slots_;
  Tunables tunables_;
  std::vector<DomainView> domains_;
  Holders holders_;
  Plan plan_;
};

} // namespace pegasus::residency::testing
