// SPDX-License-Identifier: Apache-2.0
// Earliest eligible virtual deadline first. Stoica and Abdel-Wahab, "Earliest Eligible Virtual Deadline
// First: A Flexible and Accurate Mechanism for Proportional Share Resource Allocation", Old Dominion
// University, TR-95-22, 1995; Linux schedules by it since 6.6. Credits determine how much time a domain gets,
// its latency slice determines how soon.
//
// Rule
//   1. A domain has a virtual runtime v: its device time divided by its weight, which is its credits. V is
//      the average, by weight, of the v of the domains that have calls. The lag of a domain is V - v: the
//      device time that it is owed.
//   2. A domain requests one latency slice at a time: the one that an operator has set, else `slice`, else
//      0.6 ticks; at least a tenth of a tick. The deadline of a request is the v at which it is made, plus
//      the slice over the weight.
//   3. A domain is eligible while v <= V. The eligible domain with the earliest deadline runs until its
//      request is done. The request is shortened then if a round of all would last longer than `longest_wait`.
//      Short slices have early deadlines: such a domain waits less, and more often.
//   4. Once the running domain has had a tenth of a tick, another domain interrupts it if that domain is
//      eligible, has the earliest deadline, and either woke up meanwhile or has the shorter slice. The
//      interrupted request resumes later.
//   5. A domain without calls yields, unless it is waited for (`hold`, anticipation.h), and its v stays.
//      When it wakes up, v is at most one slice behind: the shorter of its own slice and the policy's.
//   6. All use is charged, including overruns. An open gate without use counts half, with hold=auto in full:
//      it denied the device to the others. A domain that is more than its slice ahead is in debt: its v does not count in V, and it
//      runs when the others have come within a slice of it, or when none of them has calls.
//   7. "Behind" and "ahead" in rules 5 and 6 are measured from a clock, because the average of the others is
//      undefined while there are none. The clock follows V and never runs backwards. It continues while one
//      domain alone uses the device or none does: such use makes no debt, and an idle device pays debts.
//   8. Near the next call of a domain with a latency slice of its own, the others' work is divided into pieces of
//      that length at most (look_ahead.h).
//
// Deviations
//   The paper, and Linux, look for the earliest eligible deadline at each quantum. Here only rule 4
//   interrupts. Otherwise a difference in weight would interrupt too, and each switch drains the device.
//   There, a domain leaves and comes back with the same lag. Here it gains what the others receive meanwhile,
//   up to one slice; without this, a program that computes between its calls would lose its
//   share to one that does not.
//   There, a debt counts in V and shrinks when the domains to which it is owed leave, even for a moment.
//
// Promise: domains that always have work receive device time in proportion to their credits, whatever their
// slices, to within the longest slice and the longest kernel. With n equal credits and no slices set per
// domain, a domain that has calls waits at most n * (3 ticks + the longest kernel).
#pragma once

#include "policies/anticipation.h"
#include "policies/look_ahead.h"
#include "policies/policy.h"
#include "policies/slice_limits.h"
#include "policies/tunables.h"
#include "policies/virtual_average.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace pegasus::policies {

class EarliestDeadline final : public Policy {
public:
  explicit EarliestDeadline(Tunables const& tunables);
  [[nodiscard]] Decision decide(View const& view) override;
  [[nodiscard]] Nanos debt(DomainId id) const override;
  void visit(StateVisitor& state) override;

private:
  enum class Line : std::uint8_t { none, later, eligible, in_debt };
  struct Account {
    DomainId id = 0;
    std::int64_t weight = 1;
    Nanos slice{0};
    Nanos runtime{0}; // v
    Nanos deadline{0};
    Nanos seen_total{0};
    bool ready = false;
    bool held = false;      // it has no calls and keeps its time slice
    bool barred = false;    // its calls are hidden
    bool woke = false;      // it had no calls for a while, and has not run since
    Line line = Line::none; // the line that it stands in

    void visit(StateVisitor& state);
  };
  struct Place {
    Nanos when;
    std::uint32_t position;
    auto operator<=>(Place const&) const = default;
  };

  void update(View const& view, Nanos had);
  void look_at_all(View const& view);
  [[nodiscard]] Account enter(DomainView const& domain) const;
  [[nodiscard]] Nanos slice_of(DomainView const& domain) const;
  [[nodiscard]] Nanos max_lag(Account const& account) const;
  void charge(std::uint32_t position, Nanos used);
  void advance_clock(Nanos had);
  void begin_anew();
  void wake(std::uint32_t position, DomainView const& domain);
  void reweigh(Account& account, std::int64_t weight) const;
  [[nodiscard]] std::optional<std::uint32_t> best();
  void start(std::uint32_t position, bool changes_owner, bool interrupts);
  [[nodiscard]] std::optional<Reason> stop_reason(std::optional<std::uint32_t> next) const;
  void switch_to_next(Reason reason);
  [[nodiscard]] bool may_interrupt(std::uint32_t position) const;
  [[nodiscard]] Nanos least_before(std::uint32_t position) const;
  [[nodiscard]] std::optional<Nanos> interrupted_in(std::uint32_t next) const;
  [[nodiscard]] Decision answer(Reason reason);

  // In eevdf_lines.cpp:
  void line_up(std::uint32_t position);
  void step_out(std::uint32_t position);
  void move(std::uint32_t position, Line to);
  void insert(std::uint32_t position);
  void erase(std::uint32_t position);
  [[nodiscard]] std::set<Place>& line(Line line);
  [[nodiscard]] Place place(std::uint32_t position) const;
  [[nodiscard]] std::size_t contenders() const;

  Nanos slice_;
  Nanos longest_wait_;
  Nanos min_granularity_; // no switch for less than this
  Nanos max_debt_;
  Anticipation anticipation_;
  bool looks_ahead_;
  LookAhead look_ahead_;
  Time now_ = no_view;
  Nanos clock_{0};                       // see rule 7
  std::vector<Account> accounts_;        // in the order of View::domains
  VirtualAverage average_;               // V: over the domains that have calls and are not in debt
  std::set<Place> later_;                // of these, by v; the first may have become eligible
  std::set<Place> interrupting_;         // the subset of later_ that interrupts a slice of the default length
  std::set<Place> eligible_;             // the others, by deadline; V may have fallen since
  std::set<Place> in_debt_;              // domains with calls, by v less a slice
  std::optional<std::uint32_t> running_; // its position
  Nanos run_for_{0};
  Nanos ran_{0}; // of the time slice
};

} // namespace pegasus::policies
