// SPDX-License-Identifier: Apache-2.0
// Keeps turns for policies that give each domain in turn a certain time: the policy says in which order and
// how long, the keeper whose turn it is, when it ends and why.
//
// 1. A round visits the domains in the policy's order. A visit credits the domain with its turn's length.
// 2. What it uses (device_busy_total) is charged in full, also what a kernel uses after the turn's end; a
// domain whose
//    debt exceeds its turn is passed over until its visits have repaid it. So the received device time keeps
//    the proportion of the turns' lengths whatever the lengths of the kernels.
// 3. A turn ends when its time is used up: device time or time with the gate open, whichever is first. Its
//    clock starts when the device has drained the previous domain's last kernel.
// 4. A domain without calls yields; the next in order goes on: nothing idles while anybody has calls.
// 5. A domain that yielded, or was idle when its turn came, may take the rest of that turn as soon as it has
// calls
//    again and the running domain has had one grain. That keeps the share of domains that compute between
//    synchronous calls. It spends its own turn only, so nobody loses more than the order in which the round
//    is served.
// 6. Nobody banks time: an idle domain keeps one turn, a busy one takes one turn's unused time along.
// 7. If only a domain in debt has work it runs, and gives way at once to anybody else.
// 8. A debt outlives its domain's tasks. Time in which nobody has work pays debts, too.
#pragma once

#include "policies/decision.h"
#include "policies/turn_account.h"
#include "policies/turn_limits.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pegasus::policies {

class TurnKeeper {
public:
  struct Turn {
    DomainView const* domain;
    Nanos length;
  };

  // Outside these limits a tick is taken to be the nearest: below, switching would cost more than the turn is
  // worth; above, a guest's program looks hung.
  static constexpr Nanos shortest_tick{std::chrono::microseconds(100)};
  static constexpr Nanos longest_tick{std::chrono::seconds(1)};

  explicit TurnKeeper(Nanos tick);

  [[nodiscard]] Nanos tick() const { return tick_; }
  // A new domain: it has not had a turn yet.
  [[nodiscard]] bool is_new(DomainId id) const;
  // `queue`: every domain of the View once, in the order of turns, with a length of at least one nanosecond.
  [[nodiscard]] Decision decide(View const& view, std::span<Turn const> queue);
  [[nodiscard]] Nanos debt(DomainId id) const;

private:
  void admit(std::span<Turn const> queue);
  [[nodiscard]] TurnAccount enter(DomainView const& domain) const;
  void charge(std::span<Turn const> queue, Nanos elapsed);
  [[nodiscard]] std::optional<Reason> stop_reason();
  [[nodiscard]] TurnAccount* pick();
  void skip_rounds();
  [[nodiscard]] TurnAccount* running();
  [[nodiscard]] TurnAccount* returning();
  [[nodiscard]] Decision answer(Reason reason);

  Nanos tick_;
  Nanos grain_;        // no switch for less than this
  Nanos deepest_;      // no debt is deeper than this
  Time now_ = no_view; // of the last View
  std::uint64_t round_ = 1;
  std::vector<TurnAccount> accounts_; // in the order of the queue
  std::optional<DomainId> running_;
  Nanos ran_{0}; // gate time of running_ since it was switched to
};

} // namespace pegasus::policies
