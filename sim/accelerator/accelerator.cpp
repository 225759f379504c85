// SPDX-License-Identifier: Apache-2.0
#include "sim/accelerator/accelerator.h"

#include <algorithm>
#include <utility>

namespace pegasus::sim {
namespace {

constexpr std::uint64_t task_memory = 1 << 20; // its modules

} // namespace

Accelerator::Accelerator(Setup setup)
    : setup_(std::move(setup)), engine_(setup_.clock, setup_.engine),
      copy_engines_(setup_.clock, setup_.engine.copy_engines),
      memory_(setup_.clock, setup_.engine.memory, [this] { return executed(); }), idle_watch_(setup_.clock),
      dispatcher_(setup_.dispatcher), next_point_(setup_.clock, [this] { point(); }),
      kick_(setup_.clock, [this] {
        for (TaskId const task : std::exchange(kicks_, {}))
          dispatcher_.kicked(task);
        kicks_wait_until_ = setup_.clock.now() + setup_.costs.kick_pause;
        point();
      }) {
  point();
}

void Accelerator::set_domain(DomainId domain, scheduler::DomainSettings const& settings) {
  dispatcher_.set_domain(domain, settings);
  point();
}

Worker& Accelerator::attach(TaskId id, DomainId domain, std::uint64_t memory, Worker::Client& client) {
  Task& task = tasks_[id];
  task.domain = domain;
  WorkerCpu& cpu = *worker_cpus_.emplace_back(setup_.worker_cpu());
  task.worker = std::make_unique<Worker>(Worker::Setup{.clock = setup_.clock,
                                                       .engine = engine_,
                                                       .copy_engines = copy_engines_,
                                                       .idle_watch = idle_watch_,
                                                       .cpu = cpu,
                                                       .costs = setup_.costs,
                                                       .scheduler = *this,
                                                       .client = client,
                                                       .task = id,
                                                       .memory = task_memory});
  by_gate_[&task.worker->gate().word] = task.worker.get();
  dispatcher_.attach(id, domain, task.worker->gate(), task.worker->usage(), setup_.clock.now());
  if (!memory_.come(domain, memory)) setup_.given_up(id);
  point();
  return *task.worker;
}

void Accelerator::detach(TaskId id) {
  auto const found = tasks_.find(id);
  if (found == tasks_.end()) return;
  Task& task = found->second;
  task.worker->end();
  dispatcher_.detach(id, setup_.clock.now());
  DomainId const domain = task.domain;
  of_dead_tasks_[domain] += task.worker->executed();
  by_gate_.erase(&task.worker->gate().word);
  tasks_.erase(found);
  if (std::ranges::none_of(tasks_, [domain](auto const& each) { return each.second.domain == domain; }))
    memory_.leave(domain);
  point();
}

void Accelerator::executed(TaskId task, Nanos part) {
  Time const now = setup_.clock.now();
  setup_.executed(tasks_.at(task).domain, now - part, now);
}

void Accelerator::copied(TaskId task, std::size_t copy_engine, Nanos span) {
  Time const now = setup_.clock.now();
  setup_.copied(tasks_.at(task).domain, copy_engine, now - span, now);
}

void Accelerator::use(policies::Choice const& choice) {
  dispatcher_.use(choice, setup_.clock.now());
  point();
}

// One after the other: when a worker leaves the engine the next one begins, and is looked up here.
Accelerator::~Accelerator() {
  while (!tasks_.empty())
    tasks_.erase(tasks_.begin());
}

void Accelerator::stop() {
  for (auto const& [id, task] : tasks_)
    if (auto const since = task.worker->executing_since())
      setup_.executed(task.domain, *since, setup_.clock.now());
}

void Accelerator::kicked(TaskId task) {
  kicks_.push_back(task);
  if (!kick_.is_set()) kick_.at(std::max(setup_.clock.now() + setup_.costs.futex, kicks_wait_until_));
}

void Accelerator::point() {
  ++points_;
  scheduler::Actions const actions = dispatcher_.point(setup_.clock.now());
  next_point_.at(actions.next);
  for (auto const* const word : actions.wake)
    by_gate_.at(word)->gate_opened();
  for (scheduler::Caller const& caller : actions.boost)
    setup_.boost(caller);
  for (TaskId const task : actions.give_up)
    setup_.given_up(task);
  // Those that poll see a closed gate at once; the others look before their next request.
  std::erase_if(polling_, [this](TaskId id) {
    auto const found = tasks_.find(id);
    if (found == tasks_.end()) return true;
    found->second.worker->look_at_gate();
    return !found->second.worker->polls();
  });
}

Nanos Accelerator::take_memory(TaskId task) { return memory_.take(tasks_.at(task).domain); }

void Accelerator::polls(TaskId task) {
  auto const at = std::ranges::lower_bound(polling_, task);
  if (at == polling_.end() || *at != task) polling_.insert(at, task);
}

std::map<DomainId, Nanos> Accelerator::executed() const {
  std::map<DomainId, Nanos> time = of_dead_tasks_;
  for (auto const& [id, task] : tasks_)
    time[task.domain] += task.worker->executed();
  return time;
}

} // namespace pegasus::sim
