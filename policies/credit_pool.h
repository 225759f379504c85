// SPDX-License-Identifier: Apache-2.0
// Accelerator credit that is burnt by use and refilled in proportion, as Xen's credit scheduler does with CPU
// credit; for policies that choose anew at each tick whom of several they like best (augc, cosched).
//
// 1. Each domain has a balance of device time. What it uses is taken off it, in full, also after the end of
// its
//    slice. Time in which its gate was open and the device idle counts half: it denied the device to the
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
#pragma once

#include "policies/accc.h"
#include "policies/turn_limits.h"

#include <optional>
#include <vector>

namespace pegasus::policies {

struct CreditAccount {
  DomainView const* domain = nullptr; // of the View that is being decided
  DomainId id = 0;
  Nanos turn{0};    // what a refill raises the balance by
  Nanos balance{0}; // device time left; negative: its debt
  Nanos seen_total{0};
  Nanos waited{0};        // with calls and not running, since it ran last
  bool ready = false;     // it has calls
  bool contended = false; // at the last View another domain had calls
  bool yielded = false;   // it left its slice for want of calls

  [[nodiscard]] bool has_credit() const { return balance > Nanos{0}; }
  [[nodiscard]] bool returns() const { return yielded && has_credit(); } // to its slice, if it has calls

  // Time that nobody else wanted makes no debt.
  void charge(Nanos used, Nanos deepest) {
    const Nanos floor = contended ? -deepest : Nanos{0};
    balance = std::max(balance - used, std::min(balance, floor));
  }
  // Nobody wanted the device for so long.
  void forgive(Nanos idle) { balance = std::max(balance, std::min(balance + idle, Nanos{0})); }
};

class CreditPool {
public:
  struct Choice {
    // Is the first to be served before the second? Of two that have calls. Ties go to the lower id.
    bool (*before)(CreditAccount const& first, CreditAccount const& second, Nanos tick);
    // May `best`, which is before `running`, end its slice?
    bool (*interrupts)(CreditAccount const& best, CreditAccount const& running);
    bool watches_schedule; // wants to be asked every tenth of a tick, since the CPU schedule may change
  };

  CreditPool(Nanos tick, Choice choice);
  [[nodiscard]] Decision decide(View const& view);
  [[nodiscard]] Nanos debt(DomainId id) const;

private:
  void admit(View const& view);
  void charge(Nanos had, Nanos elapsed);
  void start(CreditAccount& account);
  void refill();
  [[nodiscard]] std::ptrdiff_t ready() const;
  [[nodiscard]] CreditAccount* best();
  [[nodiscard]] CreditAccount* running();
  [[nodiscard]] std::optional<Reason> stop_reason(CreditAccount const* next);
  [[nodiscard]] Decision answer(Reason reason);

  Nanos tick_;
  Choice choice_;
  Nanos grain_;                         // no switch for less than this
  Time now_ = no_view;                  // of the last View
  std::vector<CreditAccount> accounts_; // in the order of the View: by id
  std::optional<DomainId> running_;
  Nanos ran_{0}; // of the slice
  Nanos slice_{0};
};

} // namespace pegasus::policies
