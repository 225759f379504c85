// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/unclaimed_holds.h"

#include "domA/scheduler/records.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pegasus::scheduler {
namespace {

constexpr std::chrono::milliseconds always_free{1};
// After a longer pause nobody has waited for the device.
constexpr std::chrono::milliseconds longest_interval{100};

} // namespace

UnclaimedHolds::UnclaimedHolds(Nanos switch_cost)
    : free_at_once_(always_free + switch_cost), free_part_(switch_cost > Nanos{0} ? 1 : 8) {}

std::vector<UnclaimedHolds::Hold> UnclaimedHolds::look(std::span<TaskRecord* const> silent, Time now) {
  Nanos const since_last = std::min<Nanos>(now - std::exchange(looked_at_, now), longest_interval);
  Nanos const interval = std::exchange(some_, !silent.empty()) ? since_last : Nanos{0};
  std::uint64_t const last = looks_++;
  std::vector<Hold> holds;
  for (TaskRecord* const task : silent) {
    Account& account = task->unclaimed;
    if (std::exchange(account.look, looks_) != last) account.since = now;
    Nanos const leaked = (now - std::exchange(account.at, now)) / free_part_;
    account.level = std::max(account.level + interval / std::ssize(silent) - leaked, Nanos{0});
    Nanos const due = std::max(account.level - free_at_once_, Nanos{0});
    account.level -= due;
    holds.push_back({task, due, account.since});
  }
  return holds;
}

void UnclaimedHolds::Account::visit(policies::StateVisitor& state) {
  state.duration("level", level);
  state.field("at", at);
  state.field("since", since);
  state.field("look", look);
}

void UnclaimedHolds::visit(policies::StateVisitor& state) {
  state.field("looks", looks_);
  state.field("looked_at", looked_at_);
  state.field("some", some_);
}

} // namespace pegasus::scheduler
