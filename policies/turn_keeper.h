// SPDX-License-Identifier: Apache-2.0
// Keeps turns for policies that give each domain in turn a certain time: the policy says in which order and
// how long, the keeper whose turn it is, when it ends and why.
//
// 1. A round visits the domains in the policy's order. A visit credits the domain with its turn's length.
// 2. What it uses (total_of) is charged in full, also what a kernel uses after the turn's end; a
//    domain whose debt exceeds its turn is passed over until its visits have repaid it. So the received
//    device time keeps the proportion of the turns' lengths whatever the lengths of the kernels.
// 3. A turn ends when its time is used up: device time or time with the gate open, whichever is first. Its
//    clock starts when the device has drained the previous domain's last kernel.
// 4. A domain without calls yields; the next in order goes on: nothing idles while anybody has calls.
// 5. A domain that yielded, or was idle when its turn came, may take the rest of that turn as soon as it has
//    calls again and the running domain has had one grain. That keeps the share of domains that compute
//    between synchronous calls. It spends its own turn only, so nobody loses more than the order in which the
//    round is served.
// 6. Nobody banks time: an idle domain keeps one turn, a busy one takes one turn's unused time along.
// 7. If only a domain in debt has work it runs, and gives way at once to anybody else.
// 8. A debt outlives its domain's tasks. Time in which nobody has work pays debts, too.
//
// A decision looks at the domains that changed, and costs no more than the logarithm of their number: who has
// calls is kept in order, by the round in which its visits will have made it a turn; who has none is credited
// with the rounds that passed when it has some again.
#pragma once

#include "policies/decision.h"
#include "policies/turn_account.h"
#include "policies/turn_limits.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace pegasus::policies {

// What a policy says of a domain's turns.
class TurnRule {
public:
  [[nodiscard]] virtual std::uint64_t order(DomainView const& domain) const = 0; // the least first
  // At least one nanosecond. `fresh`: it has not had a turn yet.
  [[nodiscard]] virtual Nanos length(DomainView const& domain, bool fresh) const = 0;

protected:
  ~TurnRule() = default;
};

class TurnKeeper {
public:
  explicit TurnKeeper(Nanos tick); // positive

  [[nodiscard]] Nanos tick() const { return tick_; }
  [[nodiscard]] Decision decide(View const& view, TurnRule const& rule);
  [[nodiscard]] Nanos debt(DomainId id) const;

private:
  // Of a domain that has calls: when its turn comes, and its position in the View.
  struct Place {
    std::uint64_t round; // 0: its turn is open
    std::uint64_t order;
    std::uint32_t position;
    auto operator<=>(Place const&) const = default;
  };

  void look(View const& view);
  void look_at_all(View const& view);
  void look_at(std::uint32_t position);
  [[nodiscard]] TurnAccount enter(DomainView const& domain) const;
  [[nodiscard]] Nanos length_of(std::uint32_t position) const;
  [[nodiscard]] std::uint64_t passed_in(TurnAccount const& account) const;
  [[nodiscard]] std::uint64_t next_visit(TurnAccount const& account) const;
  void line_up(std::uint32_t position);
  void step_out(std::uint32_t position);
  [[nodiscard]] std::optional<Reason> stop_reason();
  [[nodiscard]] std::optional<std::uint32_t> pick();
  [[nodiscard]] Decision answer(Reason reason) const;

  Nanos tick_;
  Nanos grain_;   // no switch for less than this
  Nanos deepest_; // no debt is deeper than this
  Time now_ = no_view;
  Nanos idle_{0};                        // how long the device was nobody's, ever
  std::uint64_t round_ = 1;              // that is being visited
  std::uint64_t passed_ = 0;             // the order of the last that was visited in it
  std::vector<TurnAccount> accounts_;    // as the View's domains
  std::vector<Place> places_;            // ... where they are in line, or were
  std::set<Place> line_;                 // of those that have calls
  std::set<Place> returning_;            // ... and take up a turn that they left
  std::uint32_t ready_ = 0;              // domains that have calls
  std::uint32_t contenders_ = 0;         // at the last View
  std::optional<std::uint32_t> running_; // its position
  Nanos ran_{0};                         // since it was switched to

  View const* view_ = nullptr; // that is being decided
  TurnRule const* rule_ = nullptr;
};

} // namespace pegasus::policies
