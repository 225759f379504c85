// SPDX-License-Identifier: Apache-2.0
// FairGV: start-time fair queuing with work conservation and GPU-centric coscheduling. Hong, Spence,
// Nikolopoulos, "FairGV: Fair and Fast GPU Virtualization", TPDS 2017, sections 3.2 and 3.3.
//
// Rule
//   1. A domain has a start tag S, its device time divided by its weight. The domain with the least S runs
//      for a slice of 6 ms (the paper's value where a kernel cannot be preempted; here 0.6
//      ticks, or as set by `slice`), or less where many domains have calls: a round of all lasts `longest_wait`.
//   2. When it stops, its tag is S + L / w, with L the device time that it has used, overruns included.
//   3. The virtual time is the least tag of the domains that have calls. A domain that wakes up starts from
//      there: no domain saves up time while it is idle. The virtual time also advances while one domain alone
//      uses the device or none does: use that no other domain wants is not charged (Goyal, Vin and Cheng,
//      SIGCOMM 1996, section 2: at the end of a busy period it is the greatest tag).
//   4. A domain without calls yields (its worker has spun for the next one by then), unless it is waited
//      for (`hold`, anticipation.h).
//   5. A CPU-GPU interactive domain, more than 10 synchronous calls in 10 ms, has its vCPU woken when its
//      time slice begins: the accelerator leads, the hypervisor follows.
//
// Deviations
//   A domain that wakes up keeps what it is behind, up to one slice, and may interrupt the running one after
//   a tenth of a tick while it is behind that one. Otherwise a program that computes between its calls would
//   lose its share to one that does not.
//   A domain also keeps what it is ahead. An idle device shortens that by its idle time only; otherwise a
//   moment in which no domain has calls would forgive an overrun.
//   L counts an open gate without use of the device by half, with hold=auto in full: it denied the device to
//   the others. The weight is the domain's accelerator credits.
//
// Promise: domains that always have work receive device time in proportion to their credits. With n equal
// credits, a domain that has calls waits at most n * (3 ticks + the longest kernel).
#pragma once

#include "policies/anticipation.h"
#include "policies/policy.h"
#include "policies/slice_limits.h"
#include "policies/tunables.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace pegasus::policies {

class FairQueuing final : public Policy {
public:
  explicit FairQueuing(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override;
  [[nodiscard]] Nanos debt(DomainId id) const override;
  void visit(StateVisitor& state) override;

private:
  struct Queue { // of one domain
    DomainId id = 0;
    std::int64_t weight = 1;
    Nanos tag{0}; // S
    Nanos seen_total{0};
    bool ready = false;
    bool held = false;   // it has no calls and keeps its slice
    bool barred = false; // its calls are hidden
    bool interactive = false;
    bool woke = false; // it had no calls for a while, and has not run since

    void visit(StateVisitor& state);
  };
  struct Place { // of a queue that has calls, or is held
    Nanos tag;
    std::uint32_t position;
    auto operator<=>(Place const&) const = default;
  };

  void update(View const& view, Nanos had);
  void look_at_all(View const& view);
  [[nodiscard]] Queue enter(DomainView const& domain) const;
  void line_up(std::uint32_t position);
  void step_out(std::uint32_t position);
  void charge(std::uint32_t position, Nanos used);
  void switch_to_next(Reason reason);
  void advance_virtual_time(Nanos had);
  void wake(std::uint32_t position, DomainView const& domain);
  void reweigh(Queue& queue, std::int64_t weight) const;
  [[nodiscard]] std::optional<Reason> stop_reason() const;
  [[nodiscard]] std::optional<Nanos> interrupted_in() const;
  [[nodiscard]] Decision answer(Reason reason, bool switched) const;

  Nanos slice_;
  Nanos longest_wait_;
  Nanos min_granularity_; // no switch for less than this
  Nanos max_debt_;
  Anticipation anticipation_;
  double interactive_; // synchronous calls per second
  Time now_ = no_view;
  Nanos virtual_time_{0};                // device time over weight, like the tags
  std::vector<Queue> queues_;            // in the order of View::domains
  std::set<Place> line_;                 // the queues that have calls, or are held
  std::optional<std::uint32_t> running_; // its position
  Nanos run_for_{0};
  Nanos ran_{0}; // of that
};

} // namespace pegasus::policies
