// SPDX-License-Identifier: Apache-2.0
// A host in virtual time: hypervisor, accelerators, guests and their programs, as a scenario describes them,
// under one policy.
#pragma once

#include "domA/scheduler/boost_limit.h"
#include "sim/accelerator/accelerator.h"
#include "sim/cpu/schedule_view.h"
#include "sim/dom0/own_pool.h"
#include "sim/placement.h"
#include "sim/scenario/scenario.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::sim {

// What one program did since the measurement began.
struct ProgramOutcome {
  std::string name;
  std::uint64_t rounds = 0;          // complete ones
  std::uint64_t kernels = 0;         // that have ended
  std::optional<Nanos> began, ended; // since the simulation began
  bool killed = false;
};

struct DomainOutcome {
  std::string name;
  std::uint32_t credits = 0;
  std::size_t accelerator = 0; // the last one that it was on
  Nanos device{0};             // its time on accelerators
  Nanos cpu{0};                // ... and on the pCPUs
  // Of calls with a wait and of synchronizations, from the beginning.
  double wait_p50_us = 0, wait_p99_us = 0, wait_p999_us = 0, wait_mean_us = 0, wait_deviation_us = 0;
  std::vector<ProgramOutcome> programs;
  bool barred = false; // at some time, from the beginning (back_off.h)
};

struct AcceleratorOutcome {
  Nanos busy{0};    // executing kernels
  Nanos copying{0}; // its copy engines, all together
  unsigned copy_engines = 0;
  Nanos switching{0}; // changing contexts
  std::uint64_t switches = 0;
  std::uint64_t points = 0; // scheduling points
  Nanos idle_with_calls{0}; // at a time, while a task on it had calls: the longest since the beginning
  Memory::Totals memory;
};

struct Outcome {
  Nanos warm_up{0}; // before the measurement
  Nanos duration{0};
  std::vector<DomainOutcome> domains;
  std::vector<AcceleratorOutcome> accelerators;
  std::optional<Nanos> dom0_cpu; // Dom0's time on the pCPUs, if the scenario says where it runs
  std::uint64_t events = 0;      // timers that fired, from the beginning
};

class Host {
public:
  Host(Scenario const& scenario, policies::Choice const& policy, std::uint64_t seed,
       Timeline* timeline = nullptr);
  ~Host();
  Host(Host const&) = delete;
  Host& operator=(Host const&) = delete;

  // The warm-up, then the measurement.
  Outcome run();

private:
  struct Guest;

  void build_dom0(Timeline* timeline);
  void build_guest(std::size_t index, std::uint64_t seed);
  void build_nested(std::size_t index);
  [[nodiscard]] std::vector<nested::TaskUse> task_uses(std::size_t index);
  [[nodiscard]] std::unique_ptr<WorkerCpu> worker_cpu(); // of one more worker
  void boost(scheduler::Caller const& caller);
  void disconnect(TaskId task);
  [[nodiscard]] Outcome totals() const;

  Scenario const& scenario_;
  Wait guests_wait_; // as the policy wants them to
  Clock clock_;
  std::unique_ptr<CpuScheduler> cpus_;
  ScheduleView schedule_view_;
  scheduler::BoostLimit boosts_;
  std::unique_ptr<OwnPool> dom0_cpus_;         // nullptr: it shares the guests'
  std::unique_ptr<Dom0> dom0_;                 // nullptr: each worker always has a pCPU
  std::vector<std::unique_ptr<Guest>> guests_; // of domain id n + 1 at n
  std::vector<std::unique_ptr<Accelerator>> accelerators_;
  std::unique_ptr<Placement> placement_;
  std::vector<Program*> programs_; // of task id n + 1 at n
  std::vector<std::unique_ptr<Timer>> killers_;
};

} // namespace pegasus::sim
