// SPDX-License-Identifier: Apache-2.0
// Deficit round robin for policies that give each domain in turn a certain time. The policy decides the order
// and the lengths; this class decides which domain runs, until when and why.
//
// 1. A round visits the domains in the policy's order. A visit credits a domain with the length of its time
//    slice. All are shortened alike where a round of that many would last longer than `longest_wait`.
// 2. Use (total_of) is charged in full, including what a kernel uses after the end of the time slice. A
//    domain whose debt exceeds its time slice is passed over until its visits have repaid it. The received
//    device time therefore stays in proportion to the lengths of the time slices, whatever the lengths of the
//    kernels.
// 3. A time slice ends when its time is used up: device time or time with the gate open, whichever comes
//    first. Its clock starts when the device has drained the last kernel of the previous domain.
// 4. A domain without calls yields and the next one in order runs: the device does not idle
//    while any domain has calls. With the tunable `hold` it keeps its time slice, and the device, for up to
//    twice its mean gap between calls, where that gap is no longer than `hold`. Pegasus' domains keep their
//    ticks whether they call or not (section 4.1): `hold` of a tick is close to the paper. It pays where a
//    change of the device's owner costs more than the gap.
// 5. A domain that yielded, or was idle when its time slice came, may take the rest of that time slice as
//    soon as it has calls again and the running domain has had the minimum granularity. That keeps the share
//    of domains that compute between synchronous calls. Such a domain spends only its own time slice, so the
//    others lose nothing but their place in the order of the round.
//    A new domain may take a tenth of a tick of its first time slice at once, so that it does not wait for a round.
// 6. Time is not banked: an idle domain keeps one time slice, a busy one carries over the unused time of one
//    time slice.
// 7. If only a domain in debt has work, it runs. Any other domain that gets work preempts it at once.
// 8. A debt outlives its domain's tasks. Time in which no domain has work pays debts, too.
//
// A decision looks at the domains that changed, and its cost is logarithmic in their number. Domains with
// calls are ordered by the round in which their visits will add up to a time slice. A domain without calls is
// credited with the rounds that passed when it has calls again.
#pragma once

#include "policies/anticipation.h"
#include "policies/decision.h"
#include "policies/drr_queue.h"
#include "policies/slice_limits.h"
#include "policies/tunables.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace pegasus::policies {

// What a policy defines about the time slices of a domain.
class SliceRule {
public:
  [[nodiscard]] virtual std::uint64_t order(DomainView const& domain) const = 0; // the least first
  // At least one nanosecond. `fresh`: the domain has not had a time slice yet.
  [[nodiscard]] virtual Nanos length(DomainView const& domain, bool fresh) const = 0;

protected:
  ~SliceRule() = default;
};

class DeficitRoundRobin {
public:
  // `credits`: what the domains' parts are measured by, for hold=auto.
  explicit DeficitRoundRobin(Tunables const& tunables, Credits credits = accelerator_credits);

  [[nodiscard]] Nanos tick() const { return tick_; }
  [[nodiscard]] Decision decide(View const& view, SliceRule const& rule);
  [[nodiscard]] Nanos debt(DomainId id) const;
  void visit(StateVisitor& state);

private:
  // The place of a domain that has calls: when its time slice comes, and its position in the View.
  struct Place {
    std::uint64_t round; // 0: its time slice is open
    std::uint64_t order;
    std::uint32_t position;
    auto operator<=>(Place const&) const = default;
  };

  void update(View const& view);
  void look_at_all(View const& view);
  void look_at(std::uint32_t position);
  [[nodiscard]] DrrQueue enter(DomainView const& domain) const;
  [[nodiscard]] Nanos length_of(std::uint32_t position) const;
  [[nodiscard]] std::uint64_t passed_in(DrrQueue const& account) const;
  [[nodiscard]] std::uint64_t next_visit(DrrQueue const& account) const;
  void begin_round(std::uint64_t round);
  void line_up(std::uint32_t position);
  void step_out(std::uint32_t position);
  void charge_idle_time(Nanos had, Nanos used);
  void start(std::optional<std::uint32_t> next, bool interrupts);
  [[nodiscard]] bool held(std::uint32_t position) const;
  [[nodiscard]] Nanos resumes_in() const;
  [[nodiscard]] std::optional<Reason> stop_reason();
  [[nodiscard]] std::optional<std::uint32_t> pick();
  [[nodiscard]] Decision answer(Reason reason) const;
  void restore_places(std::vector<std::uint64_t> const& rounds, StateVisitor& state);

  Nanos tick_;
  Nanos min_granularity_; // no switch for less than this
  Nanos max_debt_;        // no debt is deeper than this
  Anticipation anticipation_;
  Nanos longest_wait_;
  std::int64_t stretch_ = 1; // of all time slices, where a change of the owner is dear
  double part_ = 1;          // of all time slices of a round, where many domains have calls
  Time now_ = no_view;
  Nanos idle_{0};                        // total time in which no domain had the device
  std::uint64_t round_ = 1;              // the round in progress
  std::uint64_t passed_ = 0;             // the order of the last domain visited in it
  std::vector<DrrQueue> accounts_;       // in the order of View::domains
  std::vector<Place> places_;            // ... their current or last places in line_
  std::set<Place> line_;                 // domains that have calls
  std::set<Place> resumable_;            // ... and resume a time slice that they left
  std::uint32_t ready_ = 0;              // number of domains that have calls
  std::uint32_t contenders_ = 0;         // ready_ at the last View
  std::optional<std::uint32_t> running_; // its position
  Nanos ran_{0};                         // since it was switched to

  View const* view_ = nullptr; // the View being decided
  SliceRule const* rule_ = nullptr;
};

} // namespace pegasus::policies
