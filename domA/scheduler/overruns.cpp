// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/overruns.h"

#include <algorithm>

namespace pegasus::scheduler {

void Overruns::closed(TaskRecord& task) {
  if (state_.demand.of_others(*task.domain)) blocks(task);
}

void Overruns::drains(TaskRecord& task, std::size_t sharers) {
  Runaways::shares(task, sharers);
  if (!state_.demand.of_others(*task.domain))
    state_.runaways.blocks(task, std::nullopt);
  else if (!task.conduct.blocks)
    blocks(task);
}

void Overruns::blocks(TaskRecord& task) {
  state_.runaways.blocks(task, state_.now);
  if (state_.cpu_times) task.cpu_wait = state_.cpu_times(task.id).waited;
}

void Overruns::stopped(TaskRecord const& task) {
  auto const blocks_since = task.conduct.blocks;
  if (!blocks_since) return;
  Time since = *blocks_since;
  if (state_.exclusive())
    since = std::max(since, ordered_has(state_.decision.run, task.domain->id) ? state_.decision.until
                                                                              : state_.promised);
  bool const killed = task.conduct.given_up;
  if (!killed && !state_.exclusive() && task.order) return; // no time slice of it had ended
  if (!killed && state_.reservations.gives(*task.domain))
    return; // what it takes too much, its next reservation lacks
  // From those for whom the device worked meanwhile it was not kept: the task may have waited for them.
  Nanos const of_others = state_.meter.of_others_since_closing(task.metered);
  Nanos overrun = killed ? task.conduct.blame(state_.now - since, of_others) : state_.now - since - of_others;
  // Neither who waits for a CPU can stop, nor work for which the device changes its owner. That does not excuse a task
  // that had to be killed.
  if (!killed && !state_.back_off.tolerates(overrun))
    overrun -= state_.changes.since(task, since, state_.records);
  if (!killed && state_.cpu_times && !state_.back_off.tolerates(overrun))
    overrun -= std::max(state_.cpu_times(task.id).waited - task.cpu_wait, Nanos{0});
  if (!killed && state_.back_off.tolerates(overrun)) return;
  std::vector<DomainId> const waiting = state_.demand.others(*task.domain);
  double const parts = parts_of(waiting, task.domain->id);
  state_.back_off.note(
      {.domain = task.domain, .time = overrun, .killed = killed, .waiting = {waiting, parts}});
}

// The domains' parts of the device over that of `of`.
double Overruns::parts_of(std::span<DomainId const> domains, DomainId of) const {
  auto const part = [this](DomainId domain) {
    policies::DomainView const* const seen = state_.views.find(domain);
    return seen == nullptr ? policies::min_credits
                           : std::max(state_.entry->divides_by(*seen), policies::min_credits);
  };
  double sum = 0;
  for (DomainId const domain : domains)
    sum += part(domain);
  return sum / part(of);
}

bool Overruns::bar_debtors() {
  auto const barred = state_.back_off.judge(
      [this](DomainId domain) { return !state_.entry->accounts || state_.policy->debt(domain) > Nanos{0}; },
      state_.now);
  for (DomainRecord* const domain : barred)
    charging_.changed(*domain);
  return !barred.empty();
}

void Overruns::end_bars() {
  auto const wanted_at = [this](DomainId id) {
    DomainRecord const* const domain = state_.records.find(id);
    return domain == nullptr ? std::nullopt : Demand::wanted_at(*domain, state_.now);
  };
  while (DomainRecord* const domain = state_.back_off.take_ended(state_.now, wanted_at))
    charging_.changed(*domain);
}

std::vector<TaskId> Overruns::give_up() {
  if (!state_.runaways.any_overdue(state_.now)) return {};
  if (!state_.exclusive())
    charging_.read_news(); // what the device did for others is no fault of a task that waited for them
  auto const guilty = state_.runaways.take(
      state_.now, !state_.exclusive(),
      [this](TaskRecord const& task) { return state_.demand.of_others(*task.domain); },
      [this](TaskRecord const& task) { return state_.meter.of_others_since_closing(task.metered); });
  std::vector<TaskId> ids;
  for (TaskRecord const* const task : guilty) {
    ids.push_back(task->id);
    ++task->domain->killed;
  }
  return ids;
}

} // namespace pegasus::scheduler
