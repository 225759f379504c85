// SPDX-License-Identifier: Apache-2.0
// Turns the usage that workers claim into totals that can be trusted.
//
// Device time
//   A task claims it when its work is done. Until then the time since the work began counts
//   provisionally. If a task dies within its work, it cannot claim it: the provisional time becomes
//   final. A task that was told to stop is charged all the time until it has stopped, whatever it claims:
//   it kept the device from the others.
// Host time
//   What a worker computes for its guest besides kernels: copies, images, output. Its gate is open meanwhile.
//
// A guest may take over its worker, so a worker's totals are only claims. Claims are bounded:
//   * device time by the time that passed and by the time the task's gate was open, plus one kernel's overrun
//     for each time that it was open;
//   * host time by the time that passed, of which no other claim was part;
//   * counters by rates that no machine reaches.
// Claims beyond these bounds are dropped, not saved. Totals never decrease; a claim that decreases starts a
// new count. A worker that claims too little gains at most one time slice's time: time slices also end by
// gate time (deficit_round_robin.h).
//
// A domain's totals are the sums over its tasks, including past ones. Device time and counters are a u64 of
// nanoseconds or units; they saturate instead of wrapping. One thread; reads no clock.
#pragma once

#include "policies/state_visitor.h"
#include "policies/view.h"

#include <cstdint>
#include <optional>
#include <span>

namespace pegasus::monitor {

using policies::Nanos;
using policies::Time;

// As read from the page that a worker shares with the daemon.
struct TaskTotals {
  Nanos device_busy{0}; // of finished work
  Nanos host_busy{0};   // CPU time for copies, images and output
  std::uint64_t calls = 0;
  std::uint64_t sync_calls = 0;
  std::uint64_t bytes = 0;                            // bulk data, both ways
  std::uint64_t memory_bytes = 0;                     // device memory held now
  bool waiting = false;                               // a call is pending or executing
  std::optional<Time> executing_since = std::nullopt; // when the work began that is executing now
  std::uint32_t requests_waiting = 0;                 // in its call buffer, when it last stopped

  bool operator==(TaskTotals const&) const = default;
  void visit(policies::StateVisitor& state);
};

struct DomainUsage {
  std::uint32_t tasks = 0;
  std::uint32_t calls_waiting = 0;    // tasks with a call pending or executing
  std::uint32_t requests_waiting = 0; // in the call buffers of tasks that wait for their gate
  std::uint32_t on_device = 0;        // tasks whose work the accelerator is executing
  Nanos booked{0};                    // device time, final
  Nanos provisional{0};               // ... and of unfinished work, so far
  Nanos device_busy{0};               // both; never decreases
  Nanos host_busy{0};                 // CPU time of its workers for copies, images and output
  Nanos host_charged{0};              // ... times the host weight at that time
  std::uint64_t calls = 0;
  std::uint64_t sync_calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t memory_bytes = 0;
  double sync_call_rate = 0; // per second of service, recent

  void visit(policies::StateVisitor& state); // the totals; what describes its tasks is made of them
};

struct TaskUsage {
  Nanos device_busy{0}; // with that of unfinished work
  bool waiting = false; // a call is pending or executing
};

class UsageMeter {
public:
  struct Limits {
    Nanos overrun{std::chrono::seconds(10)}; // the longest kernel that is not killed
    double calls_per_second = 1e8;           // a posted call costs more than 10 ns
    double bytes_per_second = 1e12;          // more than a host's memory bandwidth
    std::uint64_t memory_bytes = 1ULL << 48; // of one task: more than any device has
    std::uint32_t requests_waiting = 4096;   // of one task: the most slots of a call buffer
    Nanos rate_half_life{std::chrono::milliseconds(100)};
  };

  UsageMeter() : UsageMeter(Limits{}) {}
  explicit UsageMeter(Limits const& limits) : limits_(limits) {}

  void set_host_weight(double weight) { host_weight_ = weight; } // from now on; not negative

  // What it keeps of a task; made by attach().
  enum class Gate { closed, open, draining };
  struct Task {
    DomainUsage* usage = nullptr; // the domain's
    Time read_at{};
    TaskTotals raw{};
    Gate gate = Gate::closed;
    Time opened{}, closed{};     // its gate, last
    Nanos booked{0};             // device time, final
    Nanos provisional{0};        // ... and of unfinished work, so far
    Nanos booked_before{0};      // booked when the executing work began
    Nanos host{0};               // CPU time
    Nanos host_charged{0};       // ... times the host weight at that time
    Nanos claimed_at_closing{0}; // device and host time
    Nanos others_at_closing{0};  // device time of the other tasks
    Nanos time_room{0};          // device time that may still be claimed, by the time that passed
    Nanos gate_room{0};          // and by the time the gate was open
    Nanos host_room{0};          // host time that may still be claimed
    double sync_call_rate = 0;

    void visit(policies::StateVisitor& state); // see restore()
  };

  // Events of a task, in the order of time and after a reading at the same time. Between attach() and detach() the
  // domain's usage stays where it is.
  [[nodiscard]] static Task attach(DomainUsage& domain, Time now); // its gate is closed
  static void gate_opened(Task& task, Time now);
  void gate_closed(Task& task, Time now) const;   // the task is told to stop
  void drained(Task& task, Time now);             // the task has stopped
  void detach(Task& task, Time now);              // the task is dead; its last totals stay in its domain's
  static void pass_over(Task& task, Nanos stall); // if it has not stopped it is not to blame for this time

  // Of a task that was visited: adds it to what describes the domain's tasks. The totals have been visited.
  static void restore(Task& task, DomainUsage& domain);
  void visit(policies::StateVisitor& state); // but for the host weight

  void read(Task& task, TaskTotals const& raw, Time now);
  // The task kept the device for that long without saying so.
  void charge(Task& task, Nanos time);

  [[nodiscard]] Nanos device_busy() const { return device_busy_; } // of all domains, in total
  // device and charged host time of this task, with the provisional time
  [[nodiscard]] static Nanos used(Task const& task);
  [[nodiscard]] static TaskUsage usage(Task const& task);
  // Device time of all other tasks since this one was last told to stop.
  [[nodiscard]] Nanos of_others_since_closing(Task const& task) const;

private:
  [[nodiscard]] Nanos credible_busy(Task& task, Nanos claimed, Nanos gate_open, Nanos elapsed) const;
  [[nodiscard]] static Nanos credible_host(Task& task, Nanos claimed, Nanos elapsed);
  [[nodiscard]] Nanos of_others(Task const& task) const; // device time of all other tasks, so far
  [[nodiscard]] Nanos held_since_closing(Task const& task, Time now) const;
  [[nodiscard]] static Nanos executing(Task const& task, Time now); // of which nothing is booked yet
  void book(Task& task, Nanos time);
  void set_provisional(Task& task, Nanos time);
  static void add_levels(Task const& task);
  static void take_levels(Task const& task);

  Limits limits_;
  Nanos of_tasks_{0}; // device time of all tasks, booked and provisional
  Nanos device_busy_{0};
  double host_weight_ = 1;
};

} // namespace pegasus::monitor
