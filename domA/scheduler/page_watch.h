// SPDX-License-Identifier: Apache-2.0
// What was read of each task's usage page, and which pages have news. A worker whose gate is open does not
// ring for each call, so its page is looked at; it has to be read only if it has changed, or while the device
// executes its work or the host computes for it.
#pragma once

#include "domA/scheduler/cpu_times.h"
#include "domA/scheduler/record_queue.h"
#include "monitor/usage_meter.h"

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace pegasus::scheduler {

using policies::Nanos;
using policies::TaskId;
using policies::Time;

struct TaskRecord; // records.h
class Records;

class PageWatch {
public:
  using CpuOf = std::function<CpuTimes(TaskId)>;
  // `clock_at_zero`: CLOCK_MONOTONIC, by which workers report, at time 0. `cpu`: of the task's worker; nullptr: what it
  // computes is known when it is done.
  explicit PageWatch(Nanos clock_at_zero, CpuOf cpu = nullptr)
      : clock_at_zero_(clock_at_zero), cpu_(std::move(cpu)) {}

  // What was seen of a page.
  struct Seen {
    monitor::TaskTotals totals{};
    std::uint32_t vcpu = 0; // that made the last call
    bool on_host = false;   // computes: its host time grows by itself
    bool operator==(Seen const&) const = default;
    void visit(policies::StateVisitor& state);
  };
  struct Page {
    Time sampled_at{};
    Seen seen{};
    bool sampled = false; // since the last reading
    bool open = false;    // its gate
    bool listed = false;  // in open_

    void visit(policies::StateVisitor& state);
  };

  // TaskRecord::usage_page must live until detach(). Until the first reading it counts as one of zeros.
  static void attach(TaskRecord& task, Time now);
  void detach(TaskRecord& task);
  void opened(TaskRecord& task); // its gate: it is looked at from now on
  static void closed(TaskRecord& task);

  // Looks at the pages of open gates. Returns the tasks that are to be read, ordered by id.
  [[nodiscard]] std::vector<TaskRecord*> news(Time now);
  // The tasks that computed on the host when they were last read, whatever their gates.
  [[nodiscard]] std::set<TaskRecord*, ById> const& on_host() const { return on_host_; }

  struct Reading {
    monitor::TaskTotals totals;
    Nanos since_last{0}; // sample or reading
    // If it was sampled since the last reading: what it had then, and the time of the last sample.
    std::optional<std::pair<monitor::TaskTotals, Time>> unchanged = std::nullopt;
  };
  [[nodiscard]] Reading read(TaskRecord& task, Time now);

  void restore(Records& records); // that have been visited

private:
  [[nodiscard]] Seen see(TaskRecord const& task) const;

  Nanos clock_at_zero_;
  CpuOf cpu_;
  std::vector<TaskRecord*> open_; // ordered by id; with those that closed since the last sample
  std::set<TaskRecord*, ById> on_host_;
};

} // namespace pegasus::scheduler
