// SPDX-License-Identifier: Apache-2.0
// What one domain has used and may still use, in device time: deficit round robin (Shreedhar and Varghese,
// SIGCOMM 1995) with overdraft, because a kernel cannot always be cut short.
#pragma once

#include "policies/view.h"

#include <algorithm>
#include <cstdint>

namespace pegasus::policies {

struct TurnAccount {
  DomainId id = 0;
  std::uint64_t order = 0; // its place in a round, the least first
  Nanos length{1};         // of its turns, as the policy said last
  Nanos balance{0};        // device time it may still use; negative: its debt
  Nanos gate_left{0};      // time its gate may still be open in this turn
  Nanos seen_total{0};     // its total at the last charge
  Nanos seen_idle{0};      // total idle time of the device when it was last credited to the debt
  std::uint64_t round = 0; // the last round that visited the domain
  bool ready = false;      // it has calls waiting
  bool open = false;       // its turn has begun or is reserved for it, and is not used up
  bool yielded = false;    // it left the open turn, or was idle when the turn came; it may resume
  bool courtesy = false;   // it runs although in debt, because no other domain had work
  bool fresh = true;       // it has not run yet

  // How long it may run on. Bounded by both device time and gate time: a domain that keeps its gate open
  // without using the device denies it to the others just the same.
  [[nodiscard]] Nanos usable() const { return courtesy ? gate_left : std::min(balance, gate_left); }

  // At most this much unused time is carried into the next turn: one turn. That repays gaps of up to half of
  // the time its gate was open (launch latency, hybrid spin), in proportion to the credits. More would be
  // banking.
  [[nodiscard]] Nanos carry_limit(Nanos grain) const { return std::max(length, grain); }

  // Books the growth of its total. Use while no other domain wanted the device (not `contended`) makes no
  // debt. Use during `courtesy` makes a debt of at most one turn. Other use is charged in full, up to
  // `deepest`.
  void charge(Nanos total, Nanos deepest, bool contended) {
    const Nanos used = std::clamp(total - seen_total, Nanos{0}, deepest);
    seen_total = total;
    const Nanos floor = !contended ? Nanos{0} : courtesy ? -length : -deepest;
    balance = std::max(balance - used, std::min(balance, floor));
  }

  // The device has been idle for `idle` in total; that pays debts.
  void forgive(Nanos idle) {
    balance = std::max(balance, std::min(balance + (idle - seen_idle), Nanos{0}));
    seen_idle = idle;
  }

  // How many visits it takes until the domain may run.
  [[nodiscard]] std::uint64_t visits_needed(Nanos grain) const {
    const Nanos missing = grain - std::min(balance, carry_limit(grain));
    return missing <= length ? 1 : static_cast<std::uint64_t>((missing + length - Nanos{1}) / length);
  }

  // The round visits the domain `visits` times, up to round `last`, while it has calls: it gets that many
  // turns' time, and a turn if the sum is worth one. Of several visits, all but the last left it below a
  // grain; that also holds if its turns have become longer meanwhile. This does not overflow: a debt is at
  // most 1000 ticks.
  void visit(std::uint64_t visits, std::uint64_t last, Nanos grain) {
    const Nanos before = std::min(balance, carry_limit(grain));
    balance = before + static_cast<std::int64_t>(visits) * length;
    if (visits > 1) balance = std::min(balance, std::max(before, grain) + length);
    begin_turn(last, grain);
    yielded = false;
  }

  // As visit(), while the domain had no calls: it may take one turn's time when it has calls again.
  void pass(std::uint64_t visits, std::uint64_t last, Nanos grain) {
    balance = after_passing(visits, grain);
    begin_turn(last, grain);
    yielded = true;
  }
  [[nodiscard]] Nanos after_passing(std::uint64_t visits, Nanos grain) const {
    const Nanos limit = carry_limit(grain);
    const Nanos room = limit - balance;
    bool const fills = room <= Nanos{0} || visits > static_cast<std::uint64_t>(room / length);
    return fills ? limit : balance + static_cast<std::int64_t>(visits) * length;
  }

  // No other domain has work: this one runs for a turn's time although it is in debt.
  void indulge(Nanos grain) {
    gate_left = std::max(length, grain);
    courtesy = true;
    open = true;
    yielded = false;
  }

  // It stops before its turn is used up. A rest that is too short to be worth a switch
  // is kept for the next turn.
  void pause(Nanos grain) { open = !courtesy && usable() >= grain; }

private:
  void begin_turn(std::uint64_t in_round, Nanos grain) {
    round = in_round;
    gate_left = balance;
    open = balance >= grain;
    courtesy = false;
  }
};

} // namespace pegasus::policies
