// SPDX-License-Identifier: Apache-2.0
// What one domain has used and may still use, in device time: deficit round robin (Shreedhar and Varghese,
// SIGCOMM 1995) with overdraft, because a kernel cannot always be cut short.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <algorithm>
#include <cstdint>

namespace pegasus::policies {

struct DrrQueue {
  DomainId id = 0;
  std::uint64_t order = 0; // its place in a round, the least first
  Nanos length{1};         // of its time slices, as the policy said last
  Nanos balance{0};        // device time it may still use; negative: its debt
  Nanos gate_left{0};      // time its gate may still be open in this time slice
  Nanos seen_total{0};     // its total at the last charge
  Nanos seen_idle{0};      // total idle time of the device when it was last credited to the debt
  std::uint64_t round = 0; // the last round that visited the domain
  Nanos advance{0};        // of its first time slice, which it may use before a round visits it
  bool ready = false;      // it has calls waiting
  bool open = false;       // its time slice has begun or is reserved for it, and is not used up
  bool yielded = false;    // it left the open time slice, or was idle when the time slice came; it may resume
  bool overdraft = false;  // it runs although in debt, because no other domain had work
  bool fresh = true;       // it has not run yet

  // How long it may run on. Bounded by both device time and gate time: a domain that keeps its gate open
  // without using the device denies it to the others just the same.
  [[nodiscard]] Nanos usable() const {
    return overdraft ? gate_left : std::min(balance + advance, gate_left);
  }

  // At most this much unused time is carried into the next time slice: one time slice. That repays gaps of up
  // to half of the time its gate was open (launch latency, hybrid spin), in proportion to the credits. More
  // would be banking.
  [[nodiscard]] Nanos carry_limit(Nanos min_granularity) const { return std::max(length, min_granularity); }

  // Books the growth of its total. Use while no other domain wanted the device (not `contended`) makes no
  // debt. Use during an overdraft makes a debt of at most one time slice. Other use is charged in full,
  // up to `max_debt`.
  void charge(Nanos total, Nanos max_debt, bool contended) {
    Nanos const used = std::clamp(total - seen_total, Nanos{0}, max_debt);
    seen_total = total;
    spend(used, max_debt, contended);
  }
  void spend(Nanos time, Nanos max_debt, bool contended) {
    Nanos const floor = !contended ? Nanos{0} : overdraft ? -length : -max_debt;
    balance = std::max(balance - time, std::min(balance, floor));
  }

  // A new domain need not wait until the round comes to it. What it uses it lacks at its first visit.
  void begin_on_advance(Nanos time) {
    advance = gate_left = time;
    open = usable() >= time; // it is not in debt
    yielded = true;
  }

  // The device has been idle for `idle` in total; that pays debts.
  void forgive(Nanos idle) {
    balance = std::max(balance, std::min(balance + (idle - seen_idle), Nanos{0}));
    seen_idle = idle;
  }

  // How many visits it takes until the domain may run.
  [[nodiscard]] std::uint64_t visits_needed(Nanos min_granularity) const {
    Nanos const missing = min_granularity - std::min(balance, carry_limit(min_granularity));
    return missing <= length ? 1 : static_cast<std::uint64_t>((missing + length - Nanos{1}) / length);
  }

  // The round visits the domain `visits` times, up to round `last`, while it has calls: it gets that many
  // time slices' time, and a time slice if the sum is worth one. Of several visits, all but the last left it
  // below the minimum granularity; that also holds if its time slices have become longer meanwhile. This does
  // not overflow: a debt is at most 1000 ticks.
  void replenish(std::uint64_t visits, std::uint64_t last, Nanos min_granularity) {
    Nanos const before = std::min(balance, carry_limit(min_granularity));
    balance = before + static_cast<std::int64_t>(visits) * length;
    if (visits > 1) balance = std::min(balance, std::max(before, min_granularity) + length);
    begin_slice(last, min_granularity);
    yielded = false;
  }

  // As replenish(), while the domain had no calls: it may take one time slice's time when it has calls again.
  void pass(std::uint64_t visits, std::uint64_t last, Nanos min_granularity) {
    balance = after_passing(visits, min_granularity);
    begin_slice(last, min_granularity);
    yielded = true;
  }
  [[nodiscard]] Nanos after_passing(std::uint64_t visits, Nanos min_granularity) const {
    Nanos const limit = carry_limit(min_granularity);
    Nanos const room = limit - balance;
    bool const fills = room <= Nanos{0} || visits > static_cast<std::uint64_t>(room / length);
    return fills ? limit : balance + static_cast<std::int64_t>(visits) * length;
  }

  // No other domain has work: this one runs for a time slice's time although it is in debt.
  void begin_overdraft(Nanos min_granularity) {
    gate_left = std::max(length, min_granularity);
    overdraft = true;
    open = true;
    yielded = false;
  }

  // It stops before its time slice is used up. A rest that is too short to be worth a switch
  // is kept for the next time slice.
  void preempt(Nanos min_granularity) { open = !overdraft && usable() >= min_granularity; }

  void visit(StateVisitor& state) {
    state.field("id", id);
    state.field("order", order);
    state.duration("length", length, Nanos{1});
    state.field("balance", balance);
    state.field("gate_left", gate_left);
    state.duration("seen_total", seen_total);
    state.duration("seen_idle", seen_idle);
    state.field("round", round);
    state.duration("advance", advance);
    state.field("ready", ready);
    state.field("open", open);
    state.field("yielded", yielded);
    state.field("overdraft", overdraft);
    state.field("fresh", fresh);
  }

private:
  void begin_slice(std::uint64_t in_round, Nanos min_granularity) {
    round = in_round;
    advance = Nanos{0};
    gate_left = balance;
    open = balance >= min_granularity;
    overdraft = false;
  }
};

} // namespace pegasus::policies
