// SPDX-License-Identifier: Apache-2.0
// Turns what workers say they used into totals that can be trusted, and fills the usage part of a policy's
// view.
//
// A worker may be taken over by its guest, so its totals are claims. What may be claimed is bounded:
//   device time by the time that passed and by the time the task's gate was open, plus one kernel's overrun
//   for each time that it was open; counters by rates that no machine reaches. Claims beyond are dropped, not
//   saved. Totals never decrease; a claim that does starts a new count.
// A worker that claims too little gains one turn's time at most: turns end by gate time as well
// (turn_keeper.h).
//
// A domain's totals are the sums over its tasks, including those that are gone. Device time and counters in a
// u64 of nanoseconds or units saturate instead of wrapping. One thread; reads no clock.
#pragma once

#include "monitor/latency_histogram.h"
#include "policies/view.h"

#include <cstdint>
#include <map>
#include <span>

namespace pegasus::monitor {

using policies::DomainId;
using policies::Nanos;
using policies::Time;
using TaskId = std::uint32_t;

// As read from the page that a worker shares with the daemon.
struct TaskTotals {
  Nanos device_busy{0};
  std::uint64_t calls = 0;
  std::uint64_t sync_calls = 0;
  std::uint64_t bytes = 0;        // bulk data, both ways
  std::uint64_t memory_bytes = 0; // device memory held now
  bool waiting = false;           // a call is pending or executing
  bool on_device = false;         // the accelerator executes its work now
};

struct DomainUsage {
  std::uint32_t tasks = 0;
  std::uint32_t calls_waiting = 0; // tasks with a call pending or executing
  std::uint32_t on_device = 0;     // tasks whose work the accelerator executes
  Nanos device_busy{0};
  std::uint64_t calls = 0;
  std::uint64_t sync_calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t memory_bytes = 0;
  double sync_call_rate = 0; // per second, recent
};

class UsageMeter {
public:
  struct Limits {
    Nanos overrun{std::chrono::seconds(10)}; // the longest kernel that is let live
    double calls_per_second = 1e8;           // a posted call costs more than 10 ns
    double bytes_per_second = 1e12;          // more than a host's memory moves
    Nanos rate_half_life{std::chrono::milliseconds(100)};
  };

  UsageMeter() : UsageMeter(Limits{}) {}
  explicit UsageMeter(Limits const& limits) : limits_(limits) {}

  void attach(TaskId task, DomainId domain, Time now);
  void detach(TaskId task);     // its last totals stay in its domain's
  void forget(DomainId domain); // and all its tasks

  // A reading of one task; `gate_open`: for how long its gate was open since the reading before. A task that
  // was not attached is ignored.
  void read(TaskId task, TaskTotals const& raw, Nanos gate_open, Time now);
  // The guest's latency counters, each of which wraps; a hint for the operator.
  void read_latency(TaskId task, LatencyCounters counters);

  [[nodiscard]] std::map<DomainId, DomainUsage> const& domains() const { return domains_; }
  [[nodiscard]] DomainUsage domain(DomainId id) const; // nothing used: unknown
  [[nodiscard]] LatencyHistogram const& latency(DomainId id) const;
  void reset_latency(); // start anew

  // Sets what this meter knows; credits, CPU schedule and SLO are others'.
  void fill(policies::DomainView& view) const;

private:
  struct Task {
    DomainId domain;
    Time read_at;
    TaskTotals raw;
    Nanos time_room{0}; // device time that may still be claimed: by the time that passed
    Nanos gate_room{0}; // and by the time the gate was open
    double sync_call_rate = 0;
    LatencyHistogram::Reading latency{};
  };

  [[nodiscard]] Nanos credible_busy(Task& task, Nanos claimed, Nanos gate_open, Nanos elapsed) const;
  void update_levels(DomainId id);

  Limits limits_;
  std::map<TaskId, Task> tasks_;
  std::map<DomainId, DomainUsage> domains_;
  std::map<DomainId, LatencyHistogram> latency_;
};

} // namespace pegasus::monitor
