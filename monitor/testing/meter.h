// SPDX-License-Identifier: Apache-2.0
// For tests: a usage meter with the records of its domains and tasks.
#pragma once

#include "monitor/usage_meter.h"

#include <map>

namespace pegasus::monitor::testing {

using namespace std::chrono_literals;
using policies::DomainId;
using policies::TaskId;

// Keeps the records; events of a task that is not attached are ignored.
class Meter {
public:
  explicit Meter(UsageMeter::Limits const& limits = {}) : meter_(limits) {}

  void set_host_weight(double weight) { meter_.set_host_weight(weight); }
  void attach(TaskId id, DomainId domain, Time now) {
    tasks_[id] = UsageMeter::attach(domains_[domain], now);
    domain_of_[id] = domain;
  }
  void gate_opened(TaskId id, Time now) { UsageMeter::gate_opened(tasks_.at(id), now); }
  void gate_closed(TaskId id, Time now) { meter_.gate_closed(tasks_.at(id), now); }
  void drained(TaskId id, Time now) { meter_.drained(tasks_.at(id), now); }
  void detach(TaskId id, Time now) {
    meter_.detach(tasks_.at(id), now);
    tasks_.erase(id);
  }
  void forget(DomainId id) {
    std::erase_if(tasks_, [&](auto const& task) { return domain_of_.at(task.first) == id; });
    domains_.erase(id);
  }
  void read(TaskId id, TaskTotals const& raw, Time now) {
    if (tasks_.contains(id)) meter_.read(tasks_.at(id), raw, now);
  }
  void charge(TaskId id, Nanos time) { meter_.charge(tasks_.at(id), time); }

  [[nodiscard]] auto const& domains() const { return domains_; }
  [[nodiscard]] DomainUsage domain(DomainId id) const {
    return domains_.contains(id) ? domains_.at(id) : DomainUsage{};
  }
  [[nodiscard]] Nanos device_busy() const { return meter_.device_busy(); }
  [[nodiscard]] Nanos used(TaskId id) const {
    return tasks_.contains(id) ? UsageMeter::used(tasks_.at(id)) : 0ns;
  }

private:
  UsageMeter meter_;
  std::map<DomainId, DomainUsage> domains_;
  std::map<TaskId, UsageMeter::Task> tasks_;
  std::map<TaskId, DomainId> domain_of_;
};

inline UsageMeter::Limits tight() {
  UsageMeter::Limits limits;
  limits.overrun = 20ms;
  return limits;
}

inline TaskTotals busy(Nanos time) {
  TaskTotals totals;
  totals.device_busy = time;
  return totals;
}

inline TaskTotals executing(Time since, Nanos done = 0ms) {
  TaskTotals totals = busy(done);
  totals.waiting = true;
  totals.executing_since = since;
  return totals;
}

} // namespace pegasus::monitor::testing
