// SPDX-License-Identifier: Apache-2.0
// The lines in which domains with calls stand: the eligible ones by deadline, those that become eligible later by v, and
// those in debt by when they come within a slice of the others (rule 6).
#include "policies/eevdf.h"
#include "policies/weights.h"

#include <algorithm>

namespace pegasus::policies {

std::set<EarliestDeadline::Place>& EarliestDeadline::line(Line line) {
  if (line == Line::in_debt) return in_debt_;
  return line == Line::eligible ? eligible_ : later_;
}

EarliestDeadline::Place EarliestDeadline::place(std::uint32_t position) const {
  Account const& account = accounts_[position];
  if (account.line == Line::eligible) return {account.deadline, position};
  if (account.line == Line::later) return {account.runtime, position};
  return {account.runtime - weighted(account.slice, account.weight), position};
}

// Puts the domain into its line after a change; with a new request if the last one is used up.
void EarliestDeadline::line_up(std::uint32_t position) {
  Account& account = accounts_[position];
  if (!account.ready && !account.held) return;
  Nanos const length = weighted(account.slice, account.weight);
  Nanos const deadline = account.runtime + length;
  account.deadline = account.runtime < account.deadline ? std::min(account.deadline, deadline) : deadline;
  account.line = account.runtime - length > clock_ ? Line::in_debt : Line::later;
  if (account.line == Line::later) average_.add(account.runtime, account.weight);
  insert(position);
}

void EarliestDeadline::step_out(std::uint32_t position) {
  Account& account = accounts_[position];
  if (account.line == Line::none) return;
  erase(position);
  if (account.line != Line::in_debt) average_.remove(account.runtime, account.weight);
  account.line = Line::none;
}

void EarliestDeadline::move(std::uint32_t position, Line to) {
  erase(position);
  accounts_[position].line = to;
  insert(position);
}

void EarliestDeadline::insert(std::uint32_t position) {
  Account const& account = accounts_[position];
  line(account.line).insert(place(position));
  if (account.line == Line::later && (account.woke || account.slice < slice_))
    interrupting_.insert(place(position));
}

void EarliestDeadline::erase(std::uint32_t position) {
  if (accounts_[position].line == Line::later) interrupting_.erase(place(position));
  line(accounts_[position].line).erase(place(position));
}

std::size_t EarliestDeadline::contenders() const {
  return later_.size() + eligible_.size() + in_debt_.size();
}

} // namespace pegasus::policies
