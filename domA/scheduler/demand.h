// SPDX-License-Identifier: Apache-2.0
// Which domains want the device, and so are denied it by one that keeps it. A domain that is barred (back_off.h) does not want it.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <optional>
#include <set>
#include <span>
#include <vector>

namespace pegasus::scheduler {

struct DomainRecord; // records.h
class Records;

class Demand {
public:
  struct State { // of a domain
    bool wants = false;
    std::optional<policies::Time> wanted_at{}; // last, before `now`

    void visit(policies::StateVisitor& state);
  };
  void set(DomainRecord& domain, bool wants, policies::Time now);
  void forget(DomainRecord& domain); // it has no tasks

  [[nodiscard]] bool any() const { return !waiting_.empty(); }
  [[nodiscard]] bool of_others(DomainRecord const& domain) const;
  // Whether all domains that want it are among these, which are ordered.
  [[nodiscard]] bool only(std::span<policies::DomainId const> domains) const;
  // The other domains that want the device now.
  [[nodiscard]] std::vector<policies::DomainId> others(DomainRecord const& domain) const;
  // When the domain last wanted the device; nullopt if it never did, or has no tasks.
  [[nodiscard]] static std::optional<policies::Time> wanted_at(DomainRecord const& domain,
                                                               policies::Time now);

  void restore(Records const& records); // that have been visited

private:
  std::set<policies::DomainId> waiting_; // want it
};

} // namespace pegasus::scheduler
