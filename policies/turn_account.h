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
  Nanos length{0};         // of its turns, as the policy says at this moment
  Nanos balance{0};        // device time it may still use; negative: its debt
  Nanos gate_left{0};      // time its gate may still be open in the open turn
  Nanos seen_total{0};     // device_busy_total at the last charge
  std::uint64_t round = 0; // the last round that visited it
  bool ready = false;      // it has calls waiting
  bool contended = false;  // at the last View another domain had calls waiting
  bool open = false;       // its turn was begun or set aside for it, and is not used up
  bool yielded = false;    // it left the open turn, or was idle when the turn came: it may resume
  bool courtesy = false;   // it runs although in debt, because nobody else had work
  bool fresh = true;       // it has not run yet

  // How long it may run on: bounded both by device time and by gate time, since a domain that keeps its gate
  // open without using the device denies it to the others just the same.
  [[nodiscard]] Nanos usable() const { return courtesy ? gate_left : std::min(balance, gate_left); }

  // At most this much unused time goes along into the next turn: one turn. That repays gaps of up to half of
  // the time its gate was open (launch latency, hybrid spin), in proportion to the credits; more would be
  // banking.
  [[nodiscard]] Nanos carry_limit(Nanos grain) const { return std::max(length, grain); }

  // Books the growth of its total. Time that nobody else wanted makes no debt; time that it
  // was given out of courtesy makes a debt of one turn at most; other time is charged in full, up to
  // `deepest`.
  void charge(Nanos total, Nanos deepest) {
    const Nanos used = std::clamp(total - seen_total, Nanos{0}, deepest);
    seen_total = total;
    const Nanos floor = !contended ? Nanos{0} : courtesy ? -length : -deepest;
    balance = std::max(balance - used, std::min(balance, floor));
  }

  // Nobody wanted the device for so long.
  void forgive(Nanos idle) { balance = std::max(balance, std::min(balance + idle, Nanos{0})); }

  // The round comes by: one more turn's time, and a turn if that makes it worth one.
  void visit(Nanos grain) {
    const Nanos limit = carry_limit(grain);
    balance = ready ? std::min(balance, limit) + length : std::min(balance + length, limit);
    gate_left = balance;
    open = balance >= grain;
    yielded = !ready;
    courtesy = false;
  }

  // Nobody else has work: it runs for a turn's time in spite of its debt.
  void indulge(Nanos grain) {
    gate_left = std::max(length, grain);
    courtesy = true;
    open = true;
    yielded = false;
  }

  // It stops before its turn is used up. What is too short to be worth a switch waits for the next turn.
  void pause(Nanos grain) { open = !courtesy && usable() >= grain; }
};

} // namespace pegasus::policies
