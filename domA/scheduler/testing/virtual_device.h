// SPDX-License-Identifier: Apache-2.0
// An accelerator and its workers in virtual time, around a real Dispatcher: one engine that runs a kernel to
// its end, workers that follow gate/pages.h, and tasks that appear, launch, and die at any moment. Workers
// whose gate is open wait for a busy engine: by a look at their gate, or with their kernel in the device's
// queue, from which nothing recalls it.
#pragma once

#include "domA/scheduler/dispatcher.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pegasus::scheduler::testing {

class VirtualDevice {
public:
  enum class Busy { looks_at_gate, queues };
  explicit VirtualDevice(Dispatcher::Setup const& setup, Busy busy = Busy::looks_at_gate)
      : setup_(setup), dispatcher_(std::make_unique<Dispatcher>(setup)), busy_(busy) {
    point();
  }

  void set_domain(DomainId domain, DomainSettings const& settings);
  TaskId attach(DomainId domain);
  void launch(TaskId task, Nanos kernel); // adds a call behind the task's pending ones
  void die(TaskId task);                  // its process ends, whatever it was doing
  void use(policies::Choice const& choice);
  void run(Nanos span);

  // What happens to a state between two processes; nullptr: nothing.
  using Change = std::function<void(state::Dispatcher&)>;
  // Another process of pegasusd: the dispatcher is saved as bytes, ends, and is made anew from these. Returns why that was
  // refused: then the dispatcher is the one from before.
  std::string restart(Change const& change = nullptr);
  // From now on: before each scheduling point. Throws if the state is refused, or if what is restored is not what was saved.
  void restart_at_each_point(Change change = nullptr) {
    restarts_ = true;
    change_ = std::move(change);
  }
  // From now on workers that have stopped obey orders.
  void workers_obey() { workers_obey_ = true; }
  // From now on all Actions are kept, as text; which is returned, and forgotten.
  [[nodiscard]] std::string take_told();
  [[nodiscard]] std::string saved() const; // the dispatcher

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Dispatcher& dispatcher() { return *dispatcher_; }
  [[nodiscard]] gate::UsagePage& usage(TaskId task) { return tasks_.at(task).pages->usage; }
  [[nodiscard]] std::vector<TaskId> tasks() const;
  [[nodiscard]] DomainId domain_of(TaskId task) const { return tasks_.at(task).domain; }
  [[nodiscard]] std::size_t calls(TaskId task) const { return tasks_.at(task).calls.size(); }
  [[nodiscard]] Nanos executed(DomainId domain) const;         // as the device accounts it
  [[nodiscard]] std::size_t points() const { return points_; } // scheduling points so far
  [[nodiscard]] bool engine_free() const { return !on_engine_; }

private:
  struct Pages {
    gate::GatePage gate{};
    gate::UsagePage usage{};
  };
  struct Task {
    DomainId domain;
    std::unique_ptr<Pages> pages;
    std::deque<Nanos> calls; // the first may be executing
    std::optional<Time> dies_at;
  };
  // How long it takes to end a task that was given up.
  static constexpr Nanos killing{std::chrono::milliseconds(3)};

  void point();
  void tell(Actions const& actions);
  void restart_and_compare();
  bool step_worker(TaskId id, Task& task);
  void step_workers();
  void begin(TaskId id);
  void free_engine();
  void end_kernel();
  [[nodiscard]] Time next_event() const;

  Dispatcher::Setup setup_;
  std::unique_ptr<Dispatcher> dispatcher_;
  bool restarts_ = false;
  Change change_;
  bool workers_obey_ = false;
  bool tells_ = false;
  std::string told_;
  Busy busy_;
  std::map<TaskId, Task> tasks_;
  std::map<DomainId, Nanos> executed_; // by finished kernels
  TaskId next_task_ = 1;
  Time now_{std::chrono::seconds(1)};
  Time next_point_{};
  std::size_t points_ = 0;
  std::optional<TaskId> on_engine_;
  Time kernel_began_{};
  std::deque<TaskId> queue_; // each with one kernel
};

} // namespace pegasus::scheduler::testing
