// SPDX-License-Identifier: Apache-2.0
// Which accelerator a domain is on: the one that the scenario names, or, of several, the one that pegasusd's
// rule gives it when its first program comes (domA/placement/selection.h, Pegasus 3.2). It stays there until its
// last program has ended. The model has no admission control, and all accelerators are
// equally capable.
#pragma once

#include "domA/placement/candidates.h"
#include "sim/accelerator/accelerator.h"
#include "sim/scenario/scenario.h"

#include <memory>
#include <vector>

namespace pegasus::sim {

class Placement {
public:
  // All must outlive this object.
  Placement(Clock& clock, Scenario const& scenario,
            std::vector<std::unique_ptr<Accelerator>> const& accelerators);

  // A task of the domain attaches, or has ended.
  Accelerator& arrive(std::size_t domain);
  void depart(std::size_t domain);

  // Of its tasks, or of its last ones; the first if it had none yet.
  [[nodiscard]] std::size_t number_of(std::size_t domain) const { return domains_[domain].accelerator; }
  [[nodiscard]] Accelerator& of(std::size_t domain) const { return *accelerators_[number_of(domain)]; }

private:
  struct Domain {
    std::size_t accelerator = 0;
    unsigned tasks = 0;
    Time arrived{}; // when it last had its first task
  };
  void place(std::size_t domain, std::size_t accelerator);
  [[nodiscard]] std::vector<placement::Candidate> candidates() const;

  Clock& clock_;
  Scenario const& scenario_;
  std::vector<std::unique_ptr<Accelerator>> const& accelerators_;
  std::vector<Domain> domains_;
};

} // namespace pegasus::sim
