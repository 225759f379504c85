// SPDX-License-Identifier: Apache-2.0
// What eevdf saves, and how it comes back: which line a domain stands in, as it leaves one only when best() looks there. The
// places in the lines and the average follow from the accounts.
#include "policies/eevdf.h"
#include "policies/weights.h"

namespace pegasus::policies {

namespace {

// The average counts no more (virtual_average.h), from both sides.
constexpr Nanos most_from_clock{std::chrono::hours(18)};

} // namespace

void EarliestDeadline::Account::visit(StateVisitor& state) {
  state.field("id", id);
  state.field("weight", weight);
  state.duration("slice", slice);
  state.virtual_time("runtime", runtime);
  state.virtual_time("deadline", deadline);
  state.duration("seen_total", seen_total);
  state.field("ready", ready);
  state.field("held", held);
  state.field("barred", barred);
  state.field("woke", woke);
  state.choice("line", line, Line::in_debt);
  state.require(slice <= max_latency_slice, "slice");
}

void EarliestDeadline::visit(StateVisitor& state) {
  state.duration("slice", slice_, Nanos{1});
  state.field("anticipation", anticipation_);
  state.field("look_ahead", look_ahead_);
  state.time_or("now", now_, no_view);
  state.virtual_time("clock", clock_);
  state.accounts("accounts", accounts_);
  state.position("running", running_, accounts_.size());
  state.duration("run_for", run_for_);
  state.field("ran", ran_);
  state.require(slice_ <= max_latency_slice, "slice");
  if (!state.restoring()) return;
  for (std::uint32_t position = 0; position < accounts_.size(); ++position) {
    Account const& account = accounts_[position];
    bool const counts = account.line == Line::later || account.line == Line::eligible;
    bool const near =
        account.runtime - clock_ <= most_from_clock && clock_ - account.runtime <= most_from_clock;
    bool const valid = in_reach(account.runtime, clock_, account.weight) && (!counts || near);
    state.require(valid, "runtime");
    if (!valid || account.line == Line::none) continue;
    if (counts) average_.add(account.runtime, account.weight);
    insert(position);
  }
}

} // namespace pegasus::policies
