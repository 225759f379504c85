// SPDX-License-Identifier: Apache-2.0
// All that the scheduling of one accelerator knows of a domain and of a task, in one place: what each part (caps.h and
// so on) keeps of it is a member here. The parts are rules over these records, and keep nothing else of a domain or
// task than its place in an order, which is taken out with forget() before the record ends.
#pragma once

#include "domA/gate/pages.h"
#include "domA/scheduler/back_off.h"
#include "domA/scheduler/caps.h"
#include "domA/scheduler/context_changes.h"
#include "domA/scheduler/demand.h"
#include "domA/scheduler/page_watch.h"
#include "domA/scheduler/reservations.h"
#include "domA/scheduler/runaways.h"
#include "domA/scheduler/task_orders.h"
#include "domA/scheduler/task_slices.h"
#include "domA/scheduler/unclaimed_holds.h"
#include "domA/scheduler/view_builder.h"
#include "monitor/latency_histogram.h"
#include "monitor/service_meter.h"
#include "monitor/usage_baseline.h"

#include <map>
#include <memory>

namespace pegasus::scheduler {

struct DomainRecord {
  DomainId id{};
  DomainSettings settings{};
  TaskSlices tasks{};                  // which of them runs, in its time slices
  monitor::DomainUsage usage{};        // of its tasks, including past ones
  monitor::LatencyHistogram latency{}; // of its calls, since the reset
  std::uint64_t killed = 0;            // tasks of it, since the reset
  Nanos debt{0};                       // under the previous policy, until a policy with accounts has seen it
  Nanos used{0};                       // device time at the last reading
  Nanos excused{0};                    // ... of which policies do not know
  std::optional<Caps::Bucket> cap{};   // nullopt: it may have all of the device
  std::optional<Reservations::Bucket> reservation{}; // nullopt: no part is reserved for it
  BackOff::Offence offence{};                        // for which it is or was barred
  Demand::State demand{};                            // whether it wants the device
  monitor::ServiceMeter service{};                   // its waits, and whether its SLO held
  monitor::UsageBaseline baseline{};                 // its usage at the reset

  void visit(policies::StateVisitor& state); // but for its tasks
};

// Where domains share the device a point looks at the pages of all tasks: what that needs lies together.
struct alignas(64) TaskRecord {
  gate::UsagePage const* usage_page = nullptr;
  PageWatch::Page page{}; // what was seen of it
  TaskId id{};
  DomainRecord* domain = nullptr;
  monitor::UsageMeter::Task metered{}; // what is believed of that
  Nanos used{0};                       // device and host time, at the last reading
  TaskSlices::Turn turn{};             // among its domain's tasks
  // What its worker had counted; apart from the rest, which is read more often.
  std::unique_ptr<monitor::LatencyHistogram::Reading> latency =
      std::make_unique<monitor::LatencyHistogram::Reading>();
  bool holds = false; // its gate is open, or it has not stopped since the gate was closed
  std::optional<Time> executing_since{};
  Nanos cpu_wait{0};                        // when it began to keep others waiting
  Runaways::Conduct conduct{};              // since when it executes, and keeps others waiting
  ContextChanges::Use device_use{};         // whether the device may be changing to it
  UnclaimedHolds::Account unclaimed{};      // how long it kept the device and reported nothing
  std::optional<TaskOrders::Given> order{}; // that its worker has to obey
  bool evicted = false;                     // its memory is, or may be, not on the device: it must not run

  void visit(policies::StateVisitor& state);
};

// The vCPU from which the domain's next call comes, as the guest reports it; 0 if it has no tasks.
[[nodiscard]] inline std::uint32_t calling_vcpu(DomainRecord const& domain) {
  TaskRecord const* const task = domain.tasks.next();
  return task == nullptr ? 0 : task->usage_page->last_vcpu.load(std::memory_order_relaxed);
}

// Records stay where they are until they are erased. No record of a task outlives that of its domain.
class Records {
  template <class Map> static auto* found(Map& records, typename Map::key_type id) {
    auto const place = records.find(id);
    decltype(&place->second) const none = nullptr;
    return place == records.end() ? none : &place->second;
  }

public:
  [[nodiscard]] DomainRecord* find(DomainId id) { return found(domains_, id); } // nullptr if there is none
  [[nodiscard]] TaskRecord* find(TaskId id) { return found(tasks_, id); }
  [[nodiscard]] DomainRecord const* find(DomainId id) const { return found(domains_, id); }
  [[nodiscard]] TaskRecord const* find(TaskId id) const { return found(tasks_, id); }
  [[nodiscard]] DomainRecord& at(DomainId id) { return domains_.at(id); } // that exists
  [[nodiscard]] TaskRecord& at(TaskId id) { return tasks_.at(id); }
  [[nodiscard]] DomainRecord const& at(DomainId id) const { return domains_.at(id); }
  [[nodiscard]] TaskRecord const& at(TaskId id) const { return tasks_.at(id); }

  [[nodiscard]] std::map<DomainId, DomainRecord>& domains() { return domains_; }
  [[nodiscard]] std::map<DomainId, DomainRecord> const& domains() const { return domains_; }
  [[nodiscard]] std::map<TaskId, TaskRecord>& tasks() { return tasks_; }
  [[nodiscard]] std::map<TaskId, TaskRecord> const& tasks() const { return tasks_; }

  DomainRecord& add(DomainId id) { // with defaults, if it does not exist yet
    auto const [place, is_new] = domains_.try_emplace(id);
    if (is_new) place->second.id = id;
    return place->second;
  }
  TaskRecord& add(TaskId id, DomainRecord& domain) {
    TaskRecord& task = tasks_[id];
    task.id = id;
    task.domain = &domain;
    return task;
  }
  void erase(DomainRecord const& domain) { domains_.erase(domain.id); }
  void erase(TaskRecord const& task) { tasks_.erase(task.id); }

private:
  std::map<DomainId, DomainRecord> domains_;
  std::map<TaskId, TaskRecord> tasks_;
};

} // namespace pegasus::scheduler
