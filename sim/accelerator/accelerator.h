// SPDX-License-Identifier: Apache-2.0
// A modelled accelerator with the real scheduling: pegasusd's Dispatcher (domA/scheduler) and policy over an
// Engine and the tasks' workers. It is the counterpart of scheduler_loop.h in virtual time.
#pragma once

#include "domA/scheduler/dispatcher.h"
#include "sim/accelerator/worker.h"

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace pegasus::sim {

using policies::DomainId;

class Accelerator final : private Worker::Scheduler {
public:
  struct Setup {
    Clock& clock;
    Costs const& costs;
    Engine::Options engine;
    scheduler::Dispatcher::Setup dispatcher;
    std::function<std::unique_ptr<WorkerCpu>()> worker_cpu;        // of one more worker
    std::function<void(scheduler::Caller const&)> boost;           // a vCPU that is to run
    std::function<void(TaskId)> given_up;                          // its process is being killed
    std::function<void(DomainId, Time, Time)> executed;            // a kernel or a part of it, from and to
    std::function<void(DomainId, std::size_t, Time, Time)> copied; // a copy engine, from and to
  };
  explicit Accelerator(Setup setup);
  ~Accelerator();
  Accelerator(Accelerator const&) = delete;
  Accelerator& operator=(Accelerator const&) = delete;

  void set_domain(DomainId domain, scheduler::DomainSettings const& settings);
  // `memory`: what the domain holds while it has tasks. If that does not fit, the task is given up.
  Worker& attach(TaskId task, DomainId domain, std::uint64_t memory, Worker::Client& client);
  void detach(TaskId task); // its worker is no longer valid
  void use(policies::Choice const& choice);
  void stop(); // tells of the kernel that executes; the simulation is over

  [[nodiscard]] Engine const& engine() const { return engine_; }
  [[nodiscard]] CopyEngines const& copy_engines() const { return copy_engines_; }
  [[nodiscard]] Memory const& memory() const { return memory_; }
  [[nodiscard]] IdleWatch const& idle_watch() const { return idle_watch_; }
  [[nodiscard]] scheduler::Dispatcher& dispatcher() { return dispatcher_; }
  [[nodiscard]] std::uint64_t points() const { return points_; }
  [[nodiscard]] std::map<DomainId, Nanos> executed() const; // device time, also of tasks that have left

private:
  struct Task {
    DomainId domain;
    std::unique_ptr<Worker> worker;
  };

  void kicked(TaskId task) override;
  void executed(TaskId task, Nanos part) override;
  void copied(TaskId task, std::size_t copy_engine, Nanos span) override;
  Nanos take_memory(TaskId task) override;
  void polls(TaskId task) override;
  void point();

  Setup setup_;
  Engine engine_;
  CopyEngines copy_engines_;
  Memory memory_;
  IdleWatch idle_watch_;
  scheduler::Dispatcher dispatcher_;
  std::vector<std::unique_ptr<WorkerCpu>> worker_cpus_; // also of dead workers: these run once more to end
  std::map<TaskId, Task> tasks_;
  std::unordered_map<std::atomic<std::uint32_t> const*, Worker*> by_gate_;
  std::map<DomainId, Nanos> of_dead_tasks_;
  std::vector<TaskId> kicks_;   // on their way
  std::vector<TaskId> polling_; // ordered; those that polled at the last point or began since
  Time kicks_wait_until_{};
  std::uint64_t points_ = 0;
  Timer next_point_;
  Timer kick_;
};

} // namespace pegasus::sim
