// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/testing/virtual_device.h"

#include "domA/state/state.pb.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace pegasus::scheduler::testing {

using gate::Activity;

void VirtualDevice::set_domain(DomainId domain, DomainSettings const& settings) {
  dispatcher_->set_domain(domain, settings);
  point();
}

TaskId VirtualDevice::attach(DomainId domain) {
  TaskId const id = next_task_++;
  Task& task = tasks_[id];
  task.domain = domain;
  task.pages = std::make_unique<Pages>();
  dispatcher_->attach(id, domain, task.pages->gate, task.pages->usage, now_);
  point();
  return id;
}

void VirtualDevice::launch(TaskId task, Nanos kernel) {
  tasks_.at(task).calls.push_back(kernel);
  step_workers();
}

void VirtualDevice::die(TaskId id) {
  Task& task = tasks_.at(id);
  bool const executes = on_engine_ == id;
  if (executes) executed_[task.domain] += now_ - kernel_began_;
  dispatcher_->detach(id, now_);
  tasks_.erase(id);
  std::erase(queue_, id);
  if (executes) free_engine();
  point();
}

void VirtualDevice::use(policies::Choice const& choice) {
  dispatcher_->use(choice, now_);
  point();
}

void VirtualDevice::run(Nanos span) {
  for (Time const end = now_ + span;;) {
    Time const next = next_event();
    if (next > end) {
      now_ = end;
      return;
    }
    now_ = std::max(now_, next);
    if (on_engine_ && now_ >= kernel_began_ + tasks_.at(*on_engine_).calls.front()) end_kernel();
    auto const dying = std::ranges::find_if(
        tasks_, [this](auto const& each) { return each.second.dies_at && *each.second.dies_at <= now_; });
    if (dying != tasks_.end()) die(dying->first);
    step_workers();
    if (now_ >= next_point_) point();
  }
}

Time VirtualDevice::next_event() const {
  Time next = next_point_;
  if (on_engine_) next = std::min(next, kernel_began_ + tasks_.at(*on_engine_).calls.front());
  for (auto const& [id, task] : tasks_)
    if (task.dies_at) next = std::min(next, *task.dies_at);
  return next;
}

void VirtualDevice::point() {
  ++points_;
  if (restarts_) restart_and_compare();
  Actions const actions = dispatcher_->point(now_);
  if (tells_) tell(actions);
  next_point_ = actions.next;
  for (TaskId const task : actions.give_up)
    if (!tasks_.at(task).dies_at) tasks_.at(task).dies_at = now_ + killing;
  step_workers();
}

std::string VirtualDevice::saved() const {
  state::Dispatcher state;
  dispatcher_->save(state);
  return state.SerializeAsString();
}

void VirtualDevice::restart_and_compare() {
  std::string const before = change_ ? "" : saved();
  if (std::string const refused = restart(change_); !refused.empty()) throw std::logic_error(refused);
  if (!change_ && saved() != before) throw std::logic_error("what was restored is not what was saved");
}

std::string VirtualDevice::restart(Change const& change) {
  state::Dispatcher state;
  if (!state.ParseFromString(saved())) return "bytes that are no message";
  if (change) change(state);
  auto restored = Dispatcher::restore(setup_, state, [this](TaskId id) -> std::optional<Dispatcher::Pages> {
    auto const task = tasks_.find(id);
    if (task == tasks_.end()) return std::nullopt;
    return Dispatcher::Pages{&task->second.pages->gate, &task->second.pages->usage};
  });
  if (!restored) return restored.error();
  dispatcher_ = std::move(*restored);
  return "";
}

std::string VirtualDevice::take_told() {
  tells_ = true;
  return std::exchange(told_, {});
}

void VirtualDevice::tell(Actions const& actions) {
  auto const add = [this](std::string_view what, auto number) {
    told_.append(what).append(std::to_string(number));
  };
  add("\nat ", now_.time_since_epoch().count());
  for (auto const* const word : actions.wake)
    for (auto const& [id, task] : tasks_)
      if (&task.pages->gate.word == word) add(" wake ", std::uint32_t{id});
  for (Caller const& caller : actions.boost) {
    add(" boost ", std::uint32_t{caller.domain});
    add(".", caller.vcpu);
  }
  for (TaskId const id : actions.give_up)
    add(" give up ", std::uint32_t{id});
  for (TaskId const id : actions.interrupt)
    add(" interrupt ", std::uint32_t{id});
  for (Answered const& answered : actions.answered) {
    add(" answered ", std::uint32_t{answered.task});
    add("=", answered.answer.amount);
  }
  add(" work ", actions.work ? 1 : 0);
  add(" next ", actions.next.time_since_epoch().count());
}

// What a worker does without time passing. Returns true if it rang.
bool VirtualDevice::step_worker(TaskId id, Task& task) {
  gate::UsagePage& usage = task.pages->usage;
  std::uint32_t const word = task.pages->gate.word.load();
  bool const open = (word & gate::word_open) != 0;
  Activity const before = usage.activity.load();
  if (on_engine_ == id || std::ranges::find(queue_, id) != queue_.end()) return false;
  Activity const after = task.calls.empty() ? Activity::idle : open ? Activity::running : Activity::waiting;
  bool const obeyed =
      !open && workers_obey_ && gate::obey_order(task.pages->gate, usage, [](gate::Order const& order) {
        return gate::Answer{.amount = order.amount};
      });
  if (!open) usage.obeyed.store(word);
  usage.activity.store(after);
  if (after == Activity::running && !on_engine_)
    begin(id);
  else if (after == Activity::running && busy_ == Busy::queues)
    queue_.push_back(id);
  return obeyed || (before != after && after != Activity::running);
}

void VirtualDevice::step_workers() {
  for (auto& [id, task] : tasks_)
    if (step_worker(id, task)) {
      dispatcher_->kicked(id);
      return point(); // this continues with the others
    }
}

void VirtualDevice::begin(TaskId id) {
  on_engine_ = id;
  kernel_began_ = now_;
  tasks_.at(id).pages->usage.executing_since_ns.store(
      static_cast<std::uint64_t>(now_.time_since_epoch().count()));
}

// Who waits for it has it at once: nobody looks in between.
void VirtualDevice::free_engine() {
  on_engine_.reset();
  if (!queue_.empty()) {
    TaskId const next = queue_.front();
    queue_.pop_front();
    return begin(next);
  }
  auto const waits = [](auto const& each) {
    Task const& task = each.second;
    return task.pages->usage.activity.load() == Activity::running && !task.calls.empty() &&
           (task.pages->gate.word.load() & gate::word_open) != 0;
  };
  if (auto const next = std::ranges::find_if(tasks_, waits); next != tasks_.end()) begin(next->first);
}

void VirtualDevice::end_kernel() {
  Task& task = tasks_.at(*on_engine_);
  gate::UsagePage& usage = task.pages->usage;
  Nanos const took = now_ - kernel_began_;
  usage.executing_since_ns.store(0);
  usage.device_busy_ns += static_cast<std::uint64_t>(took.count());
  executed_[task.domain] += took;
  task.calls.pop_front();
  free_engine();
}

std::vector<TaskId> VirtualDevice::tasks() const {
  std::vector<TaskId> ids;
  for (auto const& [id, task] : tasks_)
    ids.push_back(id);
  return ids;
}

Nanos VirtualDevice::executed(DomainId domain) const {
  auto const found = executed_.find(domain);
  Nanos time = found == executed_.end() ? Nanos{0} : found->second;
  if (on_engine_ && tasks_.at(*on_engine_).domain == domain) time += now_ - kernel_began_;
  return time;
}

} // namespace pegasus::scheduler::testing
