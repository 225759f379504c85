// SPDX-License-Identifier: Apache-2.0
#include "nested/fair_stopper.h"

#include <algorithm>
#include <utility>

namespace pegasus::nested {

std::vector<std::uint32_t> FairStopper::stop(std::span<TaskUse const> tasks, Nanos now) {
  Nanos const elapsed = now - std::exchange(called_at_, now).value_or(now);
  ++calls_;
  for (TaskUse const& use : tasks)
    charge(use, elapsed);
  forget_unnamed();
  move_virtual_time();
  std::vector<std::uint32_t> stopped;
  for (auto& [task, account] : accounts_) {
    account.stopped = must_stop(account);
    if (account.stopped) stopped.push_back(task);
  }
  return stopped;
}

void FairStopper::charge(TaskUse const& use, Nanos elapsed) {
  auto const [found, is_new] = accounts_.try_emplace(use.task);
  Account& account = found->second;
  if (is_new || use.device_time < account.seen) account = {.seen = use.device_time};
  Nanos const used = use.device_time - std::exchange(account.seen, use.device_time);
  bool const busy = use.calling || used > Nanos{0} || account.stopped;
  if (!account.active) account.tag = std::max(account.tag, virtual_time_);
  if (!busy) account.gaps_left -= elapsed;
  account.gaps_left = std::clamp(account.gaps_left + used, Nanos{0}, settings_.idle_after);
  account.active = busy || account.gaps_left > Nanos{0};
  account.weight = use.weight;
  account.tag += static_cast<double>(used.count()) / use.weight;
  account.named_in = calls_;
}

void FairStopper::forget_unnamed() {
  std::erase_if(accounts_, [this](auto const& entry) { return entry.second.named_in != calls_; });
}

// Tags of tasks that are not active count only if all tasks are idle.
void FairStopper::move_virtual_time() {
  std::optional<double> least;
  double greatest = virtual_time_;
  for (auto const& [task, account] : accounts_) {
    greatest = std::max(greatest, account.tag);
    if (account.active) least = std::min(least.value_or(account.tag), account.tag);
  }
  virtual_time_ = least.value_or(greatest);
}

bool FairStopper::must_stop(Account const& account) const {
  double const ahead = (account.tag - virtual_time_) * account.weight;
  double const allowed = account.stopped ? 0 : static_cast<double>(settings_.lag.count());
  return account.active && ahead > allowed;
}

} // namespace pegasus::nested
