// SPDX-License-Identifier: Apache-2.0
// Whether a domain without calls keeps the device until its next one: anticipation, with a sharing incentive.
// Ours; figures are in docs/evaluation/progress.md. For all policies with time slices for domains.
//
// The commonest program computes, makes a call, waits, and computes again. A scheduler that sees only which
// domains have calls gives the device away in each of its gaps, and a kernel that cannot be stopped keeps it.
// Disks know this as deceptive idleness (Iyer, Druschel, "Anticipatory scheduling", SOSP 2001). Waiting for
// the next call costs the others device time; so it is done where the domain would lose more than its part
// without it, and it pays for it.
//
// With hold=auto
//   1. The progress of a domain is its device time and the time of its gaps, in which its program computes.
//      Alone it would progress all the time. Its lag is what it lacks of its part of that: its credits over
//      those of all active domains. A domain is active while it has calls, and for two ticks after. A pause is
//      a domain's own time: it does not lag for it, but for its part of the two ticks in which it is still active.
//      Gaps that take longer while others use the device count for not much more than they would take alone
//      (gap_progress.h). To learn that, a domain is waited for once in 100 ticks.
//   2. A domain that lags by more than a tenth of a tick keeps the device through its gaps: sharing costs no
//      domain more than its part. A wait for one of another's kernels is not a lag yet.
//   3. A domain also keeps it if its gaps are shorter than it takes to change the device's owner there and
//      back (View::switch_cost): nobody else could use them.
//   4. Otherwise it gives the device away at once. If its gaps are longer than a change there and back, it may
//      interrupt others once it is back and behind them: what it interrupts lasted a fiftieth of a tick. Others
//      interrupt a slice after 20 changes at the earliest, so changes take less than a twentieth of the time.
//   5. A slice costs its device time or the time for which the gate was open, whichever is more, and the
//      change to it; one that interrupts pays for the change back, too. So a pause gains nothing.
//   6. It is waited for up to twice its mean gap, and for a fiftieth of a tick at least: short gaps are seen
//      only if a time slice ends in one.
// With another `hold`, any domain keeps the device through gaps of up to that length. A slice costs half of
// its time without use, and changes cost nothing. Pegasus' domains keep their ticks whether they call or not
// (4.1): `hold` of a tick is close to the paper.
#pragma once

#include "policies/call_gap.h"
#include "policies/credits.h"
#include "policies/gap_progress.h"
#include "policies/tunables.h"
#include "policies/view.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace pegasus::policies {

class Anticipation {
public:
  explicit Anticipation(Tunables const& tunables, Credits credits = accelerator_credits);

  [[nodiscard]] bool automatic() const { return automatic_; }
  // At each decision, before anything else. Positions are those of this View from now on.
  void update(View const& view);

  // Whether the domain, which has no calls, keeps the device if it has it; to be asked again at next_sample().
  [[nodiscard]] bool held(std::uint32_t position) const;
  [[nodiscard]] Time next_sample(std::uint32_t position) const;

  // How long a time slice lasts at least before another domain may interrupt it, where that is `granularity`
  // if nothing is waited for and changes cost nothing.
  [[nodiscard]] Nanos least_slice(Nanos granularity) const;
  // In how long this domain, which has calls again, may interrupt a time slice that has lasted for `ran` and lasts for
  // `least` at least.
  [[nodiscard]] Nanos may_interrupt_in(std::uint32_t position, Nanos ran, Nanos least) const;

  // A time slice begins. Returns what the change to it costs the domain. `interrupts`: it ended that of
  // another domain.
  [[nodiscard]] Nanos begin_slice(bool changes_owner, bool interrupts);
  // What it costs beyond the device time `used`, for the time `had` in which the domain had the device since
  // the last View.
  [[nodiscard]] Nanos idle_cost(Nanos had, Nanos used);

  void visit(StateVisitor& state);

private:
  struct Account {
    DomainId id = 0;
    double weight = 1;
    CallGap gap;
    Nanos seen_total{0};
    Nanos used{0}, used_now{0}; // device time: all, and since the last look
    GapProgress gap_progress{};
    Time learn_at{}; // how long its gaps are; from then on
    Time seen{};
    double seen_entitlement = 0;
    Nanos lag{0};
    Time quiet_since{};
    bool ready = false;
    bool active = false;
    bool lags = false; // when its last calls ended

    void visit(StateVisitor& state);
  };

  void follow_domains(View const& view);
  void take_use(Account& account, DomainView const& domain);
  void look_at(std::uint32_t position, DomainView const& domain);
  void progress(Account& account, DomainView const& domain);
  [[nodiscard]] Nanos others(Account const& account) const { return used_by_all_ - account.used; }
  void leave(std::uint32_t position); // the active domains
  void join(std::uint32_t position);
  [[nodiscard]] Nanos limit(Account const& account) const;
  [[nodiscard]] double weight_of(DomainView const& domain) const;

  bool automatic_;
  Nanos hold_;
  Credits credits_;
  Nanos least_; // that a domain is waited for, or its slice lasts
  Nanos tolerated_lag_;
  Nanos active_; // without calls
  Nanos max_lag_;
  Nanos round_trip_{0}; // a change of the owner there and back
  Time now_;
  double entitlement_ = 0;                         // time over the weight of the active domains
  double weight_ = 0;                              // ... which is this
  Nanos used_by_all_{0};                           // device time
  std::vector<Account> accounts_;                  // in the order of View::domains
  std::set<std::pair<Time, std::uint32_t>> quiet_; // active domains without calls, since when
  Nanos had_{0}, used_{0};                         // of the time slice
  bool change_back_paid_ = false;
};

} // namespace pegasus::policies
