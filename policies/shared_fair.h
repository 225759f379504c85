// SPDX-License-Identifier: Apache-2.0
// Fair queuing without time slices: all domains have the device together, except those that are ahead of
// their share. For a device that goes from one domain's work to another's for nothing: then only an
// unfair division is worth closing a gate for, and domains that wait for each of their calls use what the
// others leave free.
//
//   1. Each domain has a tag, its device time divided by its weight, as in fair.h.
//   2. The virtual time is the least tag of the active domains: those that have calls, or are expected back
//      (activity.h, up to half a tick). A domain that becomes active is at most two ticks of its own time
//      behind it, so that no domain saves up time; while none is active, it passes as time does.
//   3. A domain stops when it is ahead of the least tag by more than a fifth of a tick of its own time, and
//      goes on when it is ahead by less than half of that. The domain with the least tag always runs: while
//      it computes between two calls, those that are ahead of it stay closed, or they would take the device
//      from it in each of its gaps.
//   4. A worker whose gate is open does not report new calls, so which domain is ahead is checked ten times a
//      tick; among many domains, each of which gets ahead more slowly, down to twice a tick. When no domain has had calls for ten ticks all gates close: then a call is a scheduling point,
//      and an idle accelerator costs nothing.
#pragma once

#include "policies/activity.h"
#include "policies/policy.h"
#include "policies/slice_limits.h"
#include "policies/tunables.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace pegasus::policies {

class SharedFairQueuing {
public:
  explicit SharedFairQueuing(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view);
  [[nodiscard]] Nanos debt(DomainId id) const;
  void visit(StateVisitor& state);

private:
  struct Queue { // of one domain
    DomainId id = 0;
    std::int64_t weight = 1;
    Nanos tag{0};
    Nanos seen_total{0};
    Nanos used{0}; // since the last View
    bool connected = false;
    Activity activity{};
    bool waits = false; // it is ahead of its share

    void visit(StateVisitor& state);
  };

  void update(View const& view, Nanos had);
  void advance_virtual_time(Nanos had);
  void wake(Queue& queue, DomainView const& domain) const;
  void reweigh(Queue& queue, std::int64_t weight) const;
  [[nodiscard]] Queue enter(DomainView const& domain) const;
  [[nodiscard]] std::optional<Nanos> least_tag() const; // of the active domains
  [[nodiscard]] Decision answer();
  [[nodiscard]] Nanos sample_interval() const;

  Nanos sample_interval_; // between two checks: a domain whose gate is open does not report new calls
  Nanos lead_;            // how far a domain may be ahead, in its own time
  Nanos idle_;            // after which all gates close
  Nanos lag_;             // how far a domain that wakes up may be behind
  Nanos active_;          // for how long at most a domain stays active without calls
  Nanos max_debt_;
  Time now_ = no_view;
  Time wanted_at_{}; // when a domain last had calls
  Nanos virtual_time_{0};
  std::vector<Queue> queues_; // in the order of View::domains
  std::vector<DomainId> run_; // the last Decision's
};

} // namespace pegasus::policies
