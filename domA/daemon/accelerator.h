// SPDX-License-Identifier: Apache-2.0
// One accelerator: its properties, the pages that its workers share, its scheduling loop, and the watch on
// its engine. Which tasks are on it is known to the daemon only.
#pragma once

#include "base/unique_fd.h"
#include "domA/daemon/discovery.h"
#include "domA/daemon/engine_watchdog.h"
#include "domA/daemon/worker_process.h"
#include "domA/device/kinds.h"
#include "domA/device/shared/quota_books.h"
#include "domA/guests/shared_memory.h"
#include "domA/scheduler/scheduler_loop.h"
#include "domA/scheduler/scheduling_thread.h"

#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace pegasus::daemon {

using policies::DomainId;
using policies::Nanos;
using policies::Time;
using scheduler::TaskId;

class Accelerator {
public:
  struct Setup {
    std::uint32_t index; // in the operators' order
    FoundAccelerator found;
    scheduler::SchedulerLoop::Setup scheduling;
    std::function<std::vector<EngineWatchdog::Task>()> tasks; // the tasks on it
  };
  [[nodiscard]] static tl::expected<std::unique_ptr<Accelerator>, std::string>
  make(boost::asio::io_context& io, scheduler::SchedulingThread& scheduling, Setup setup);

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] FoundAccelerator const& found() const { return found_; }
  [[nodiscard]] device::Kind const& kind() const { return device::kinds[found_.device.kind]; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return found_.memory_bytes; }
  [[nodiscard]] shared::Switches switches() const { return shared::switches(engine()); }
  [[nodiscard]] shared::QuotaBooks& memory() { return memory_; }
  [[nodiscard]] SharedFds shared_fds() const;
  // The next two may be used on the scheduling thread only.
  [[nodiscard]] scheduler::SchedulerLoop& scheduler() { return scheduler_; }
  [[nodiscard]] scheduler::Dispatcher const& seen() const { return scheduler_.dispatcher(); }

  [[nodiscard]] bool slot_free(TaskId task) const { return !unfreed_.contains(task); }
  void tasks_changed(std::size_t tasks) { engine_watchdog_.tasks_changed(tasks); } // how many tasks are on it
  void free_slot(TaskId task);                                                     // its worker is gone
  void free_engine(TaskId task);

  void failed() { failed_at_ = std::chrono::steady_clock::now(); } // it refused a task
  void stuck(int workers) { stuck_ += workers; }                   // this many more do not end
  [[nodiscard]] bool failing() const; // now, or so recently that another one is preferred
  void stop();

private:
  struct Shared { // with its workers
    guests::SharedMemory engine, limits, claims;
    base::UniqueFd read_only_limits, read_only_claims;
    [[nodiscard]] static tl::expected<Shared, std::string> create();
  };
  Accelerator(boost::asio::io_context& io, scheduler::SchedulingThread& scheduling, Setup setup,
              Shared shared);

  [[nodiscard]] shared::EnginePage& engine() const { return shared_.engine.as<shared::EnginePage>(); }

  std::uint32_t index_;
  FoundAccelerator found_;
  Shared shared_;
  shared::QuotaBooks memory_;
  scheduler::SchedulerLoop scheduler_;
  EngineWatchdog engine_watchdog_;
  std::set<TaskId> unfreed_; // slots of dead workers that could not be evicted from the engine yet
  std::optional<std::chrono::steady_clock::time_point> failed_at_;
  int stuck_ = 0;
};

} // namespace pegasus::daemon
