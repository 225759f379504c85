// SPDX-License-Identifier: Apache-2.0
// Accelerator credit that is burnt by use and refilled in proportion, as Xen's credit scheduler does with CPU
// credit; for policies that choose anew at each tick whom of several they like best (augc, cosched).
//
// 1. Each domain has a balance of device time. What it uses is taken off it, in full, also after the end of
//    its slice. Time in which its gate was open and the device idle counts half: it denied the device to the
//    others.
// 2. When nobody who has calls has credit left, everybody's balance is raised by the length of its turn in
//    accc.h, X / Xmin ticks. So the received time keeps the proportion of the credits, in whatever order
//    those who have credit are served.
// 3. A slice is a tick, or what is left of the balance. It ends early when the domain has no calls left, and,
//    after a tenth of a tick, when the policy lets another one interrupt it.
// 4. A domain that had no calls left but has credit goes on with its slice when it has calls again, the
// running
//    one has had a tenth of a tick, and the policy prefers it to all others. It is what domains do that
//    compute between their calls.
// 5. Nobody banks credit: an idle domain keeps one turn. Use that nobody else wanted makes no debt; time in
//    which nobody has calls pays debts.
//
// A decision looks at the domains that changed and at those on a CPU, and costs no more than the logarithm of
// their number, but for a refill, which all have earned by a turn each.
#pragma once

#include "policies/accc.h"
#include "policies/turn_limits.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace pegasus::policies {

struct CreditAccount {
  DomainId id = 0;
  Nanos balance{0}; // device time left; negative: its debt
  Nanos boost{0};   // what the policy adds to it, when it compares
  Nanos seen_total{0};
  Nanos seen_idle{0};        // as TurnAccount's
  std::uint64_t refills = 0; // that it has had
  Time waits_since{0};       // with calls and not running
  bool ready = false;        // it has calls
  bool on_cpu = false;
  bool yielded = false; // it left its slice for want of calls

  [[nodiscard]] bool has_credit() const { return balance > Nanos{0}; }
  [[nodiscard]] bool returns() const { return yielded && has_credit(); } // to its slice, if it has calls
};

class CreditPool {
public:
  struct Choice {
    // Added to the credit of a domain that is on a CPU; at least 0.
    Nanos (*boost)(DomainView const& domain, Nanos tick);
    bool credit_first; // whoever has credit goes before all that have none
    bool interrupts;   // one on a CPU may end the slice of one that is not
    Nanos patience;    // who has credit and has waited for so long is next; 0: nobody is
  };

  CreditPool(Nanos tick, Choice const& choice);
  [[nodiscard]] Decision decide(View const& view);
  [[nodiscard]] Nanos debt(DomainId id) const;

private:
  struct ByCredit { // the most first
    Nanos balance;
    std::uint32_t position;
    auto operator<=>(ByCredit const& other) const {
      if (balance != other.balance) return other.balance <=> balance;
      return position <=> other.position;
    }
    bool operator==(ByCredit const&) const = default;
  };
  struct ByWait { // of those who have credit, the longest first
    Time since;
    std::uint32_t position;
    auto operator<=>(ByWait const&) const = default;
  };

  void look(View const& view, Nanos had);
  void look_at_all(View const& view);
  void look_at(std::uint32_t position);
  [[nodiscard]] CreditAccount enter(DomainView const& domain) const;
  void catch_up(CreditAccount& account, Nanos turn) const;
  void charge(CreditAccount& account, Nanos used) const;
  void line_up(std::uint32_t position);
  void step_out(std::uint32_t position);
  void refill();
  [[nodiscard]] bool before(CreditAccount const& first, CreditAccount const& second) const;
  [[nodiscard]] std::optional<std::uint32_t> best() const;
  [[nodiscard]] std::optional<Reason> stop_reason(std::uint32_t next);
  void start(std::uint32_t position);
  [[nodiscard]] Decision answer(Reason reason) const;

  Nanos tick_;
  Choice choice_;
  Nanos grain_; // no switch for less than this
  Nanos deepest_;
  CreditTurns turns_;
  Time now_ = no_view;
  Nanos idle_{0};                        // how long the device was nobody's, ever
  std::uint64_t refills_ = 0;            // ever
  std::vector<CreditAccount> accounts_;  // as the View's domains
  std::set<ByCredit> by_credit_;         // those that have calls
  std::set<ByWait> by_wait_;             // ... and credit, where the policy has patience
  std::set<std::uint32_t> on_cpu_;       // ... or are on a CPU
  std::uint32_t contenders_ = 0;         // that had calls at the last View
  std::optional<std::uint32_t> running_; // its position
  Nanos ran_{0};                         // of the slice
  Nanos slice_{0};
  View const* view_ = nullptr; // that is being decided
};

} // namespace pegasus::policies
