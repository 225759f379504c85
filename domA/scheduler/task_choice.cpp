// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/task_choice.h"

#include <algorithm>

namespace pegasus::scheduler {

// If a domain has the device to itself, one of its tasks runs at a time. If domains share the
// device, all tasks run, but for those that are ahead of others of their domain if accounts are kept.
void TaskChoice::make() {
  gate_.ends_at(slice_ends());
  if (state_.exclusive()) {
    state_.shared_tasks.begin_anew();
    run(tasks_in_turn());
  } else {
    run(state_.shared_tasks.choose(state_.decision.run, [this](DomainId domain) {
      DomainRecord* const known = state_.records.find(domain);
      return known == nullptr ? nullptr : &known->tasks;
    }));
  }
  gate_.limit(pieces());
}

std::vector<TaskId> TaskChoice::tasks_in_turn() {
  std::vector<TaskId> tasks;
  for (DomainId const id : state_.decision.run)
    if (DomainRecord* const domain = state_.records.find(id))
      if (TaskRecord const* const task = domain->tasks.pick()) tasks.push_back(task->id);
  std::ranges::sort(tasks);
  return tasks;
}

void TaskChoice::run(std::vector<TaskId> const& tasks) {
  if (tasks == gate_.chosen()) return;
  std::vector<TaskId> wake;
  if (!state_.decision.wake.empty())
    for (TaskId const task : tasks)
      if (ordered_has(state_.decision.wake, state_.records.at(task).domain->id)) wake.push_back(task);
  gate_.apply(tasks, wake, state_.exclusive() ? std::vector<TaskId>{} : state_.orders.tasks());
}

// The time slice may also be interrupted when the policy is asked again.
std::uint64_t TaskChoice::slice_ends() const {
  if (!state_.exclusive() || state_.decision.run.empty()) return 0;
  DomainId const id = state_.decision.run.front();
  auto end = Time::max();
  DomainRecord const* const domain = state_.records.find(id);
  if (domain != nullptr && state_.demand.of_others(*domain))
    end = std::min(state_.decision.until, state_.decision.ask_again);
  if (auto const left = state_.cap_left(id)) end = std::min(end, state_.now + *left);
  return end == Time::max() ? 0 : state_.monotonic_ns(end);
}

gate::Gate::Pieces TaskChoice::pieces() const {
  if (!state_.decision.pieces) return {};
  return {.from_ns = state_.monotonic_ns(std::max(state_.decision.pieces->from, Time{})),
          .longest_ns = static_cast<std::uint64_t>(state_.decision.pieces->longest.count())};
}

} // namespace pegasus::scheduler
