// SPDX-License-Identifier: Apache-2.0
// One accelerator: its properties, the pages that its workers share, and its scheduling loop. Which tasks are on it
// is known to the daemon only.
#pragma once

#include "base/unique_fd.h"
#include "domA/daemon/discovery.h"
#include "domA/daemon/worker_process.h"
#include "domA/device/kinds.h"
#include "domA/device/memory/quota_books.h"
#include "domA/device/shared/engine_admission.h"
#include "domA/guests/shared_memory.h"
#include "domA/scheduler/loop/scheduler_loop.h"
#include "domA/scheduler/loop/scheduling_thread.h"

#include <functional>
#include <memory>
#include <optional>
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
  };
  [[nodiscard]] static tl::expected<std::unique_ptr<Accelerator>, std::string>
  make(scheduler::SchedulingThread& scheduling, Setup setup);

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] FoundAccelerator const& found() const { return found_; }
  [[nodiscard]] device::Kind const& kind() const { return device::kinds[found_.device.kind]; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return found_.memory_bytes; }
  [[nodiscard]] shared::EngineAdmission::Switches switches() const { return line_.admission.switches(); }
  [[nodiscard]] memory::QuotaBooks& memory() { return memory_; }
  [[nodiscard]] SharedFds shared_fds() const;
  // The next two may be used on the scheduling thread only.
  [[nodiscard]] scheduler::SchedulerLoop& scheduler() { return scheduler_; }
  [[nodiscard]] scheduler::Dispatcher const& seen() const { return scheduler_.dispatcher(); }

  void free_slot(TaskId task);   // its worker is gone
  void free_engine(TaskId task); // its worker executes no more, but does not end

  void failed() { failed_at_ = std::chrono::steady_clock::now(); } // it refused a task
  void stuck(int workers) { stuck_ += workers; }                   // this many more do not end
  [[nodiscard]] bool failing() const; // now, or so recently that another one is preferred

private:
  struct Shared { // with its workers
    guests::SharedMemory engine, limits, slots;
    base::UniqueFd read_only_engine, read_only_limits, read_only_slots;
    [[nodiscard]] static tl::expected<Shared, std::string> create();
  };
  // A task's number is its slot.
  struct Line final : scheduler::EngineLine {
    Line(shared::EngineAccess& access, shared::SlotPages& pages) : admission(access, pages) {}
    void admit(TaskId task) override { admission.admit(task); }
    void dismiss(TaskId task) override { admission.dismiss(task); }
    [[nodiscard]] std::optional<TaskId> first() const override { return admission.first(); }
    shared::EngineAdmission admission;
  };
  Accelerator(scheduler::SchedulingThread& scheduling, Setup setup, Shared shared);
  [[nodiscard]] static scheduler::SchedulerLoop::Setup with(scheduler::SchedulerLoop::Setup setup,
                                                            Line& line);

  std::uint32_t index_;
  FoundAccelerator found_;
  Shared shared_;
  memory::QuotaBooks memory_;
  Line line_;
  scheduler::SchedulerLoop scheduler_;
  std::optional<std::chrono::steady_clock::time_point> failed_at_;
  int stuck_ = 0;
};

} // namespace pegasus::daemon
