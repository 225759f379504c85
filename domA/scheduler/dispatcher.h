// SPDX-License-Identifier: Apache-2.0
// The scheduling of one accelerator. It reads what happened (monitor), asks the policy which domains run,
// chooses among a domain's tasks, carries that out (gate), and keeps the accounts. Pure: the caller
// provides the time and carries out the returned Actions. scheduler_loop.h is the caller with a clock;
// tests use virtual time.
//
// The caller calls point() after each event (attach, detach, use, set_domain, kicked). The cost of a
// point grows with the events since the last one, not with the number of tasks; page_watch.h says what
// is looked at.
#pragma once

#include "domA/gate/gate.h"
#include "domA/scheduler/charging.h"
#include "domA/scheduler/lease.h"
#include "domA/scheduler/overruns.h"
#include "domA/scheduler/report.h"
#include "domA/scheduler/scheduler_state.h"
#include "domA/scheduler/task_choice.h"
#include "domA/scheduler/time_slice_log.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace pegasus::state {
class Dispatcher; // domA/state/state.proto
}

namespace pegasus::scheduler {

struct Answered { // an order
  TaskId task;
  gate::Order order;
  gate::Answer answer;
  bool operator==(Answered const&) const = default;
};

// What a scheduling point asks of its caller.
struct Actions {
  // gate words that were opened, or closed with an order; their workers may be asleep on them
  std::vector<std::atomic<std::uint32_t>*> wake;
  std::vector<Caller> boost; // callers whose gate was opened and whose vCPU the policy wants on a CPU
  // tasks whose call keeps others waiting for longer than the limit, or whose worker disobeys
  std::vector<TaskId> give_up;
  std::vector<TaskId> interrupt; // tasks whose worker has an order and may be asleep on its ring
  std::vector<Answered> answered;
  bool work = false; // a domain has calls
  Time next{};       // the next scheduling point if nothing happens before
};

class Dispatcher final : private gate::Gate::Listener {
public:
  struct Setup {
    policies::Entry const* policy;
    policies::Tunables tunables;
    Nanos runaway;                  // how long a call may keep others waiting before its task is given up
    Nanos host_call = Nanos::max(); // how long a call on the host may take
    Nanos switch_cost{0};           // what it takes the device to change its owner; 0: nothing, or not known
    CpuSchedule* cpu_schedule = nullptr;
    EngineLine* engine_line = nullptr; // nullptr: the device has its own queue
    // What the task's worker has used of a CPU so far, and how long it and pegasusd have waited for one; nullptr: not
    // known.
    std::function<CpuTimes(TaskId)> cpu_times = nullptr;
    // SLOs are kept under policies that do not keep them themselves (reservations.h).
    bool reservations = true;
    Nanos clock_at_zero{0}; // CLOCK_MONOTONIC at time 0; workers report by that clock since when they execute
  };
  explicit Dispatcher(Setup const& setup);
  Dispatcher(Dispatcher const&) = delete;
  Dispatcher& operator=(Dispatcher const&) = delete;

  // All that it keeps, between two of its calls. Workers and their pages go on meanwhile.
  void save(state::Dispatcher& out) const;
  struct Pages { // of a task, as they were given to attach()
    gate::GatePage* gate;
    gate::UsagePage const* usage;
  };
  using PagesOf = std::function<std::optional<Pages>(TaskId)>; // nullopt: there are none of this task
  // One that goes on as the saved one would have. The policy and its tunables are those of `from`, not of `setup`, which
  // must have the same clock_at_zero. The pages are taken as they are. Returns why `from` is refused: another version, a
  // policy that is not in the table, a task without pages, or what no Dispatcher saves.
  [[nodiscard]] static tl::expected<std::unique_ptr<Dispatcher>, std::string>
  restore(Setup const& setup, state::Dispatcher const& from, PagesOf const& pages_of);

  void set_domain(DomainId domain, DomainSettings const& settings); // new or changed
  void forget_domain(DomainId domain);                              // ... if it has no tasks
  void attach(TaskId task, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage, Time now);
  void detach(TaskId task, Time now);                   // its worker is dead; its pages still exist
  void kicked(TaskId task) { kicked_.push_back(task); } // its worker stopped, or has calls
  // The task's worker is to obey once the task does not have the device, which it does not get meanwhile, and after an
  // eviction not before it has restored all. The answer is among the Actions of a later point. Returns false if the task is unknown, or has an order already.
  [[nodiscard]] bool order(TaskId task, gate::Order const& order);
  void use(policies::Choice const& choice, Time now); // running calls go on; debts are taken over

  // A scheduling point: call at Actions::next of the previous one, and after each event.
  [[nodiscard]] Actions point(Time now);

  void bring_up_to_date(Time now); // reads all totals
  // Of a task that is attached; reads its totals.
  [[nodiscard]] monitor::TaskUsage task_usage(TaskId task, Time now);
  void reset_statistics(Time now); // a measurement begins; policies see no difference

  [[nodiscard]] policies::Entry const& policy() const { return *state_.entry; }
  [[nodiscard]] policies::Tunables const& tunables() const { return state_.tunables; }
  [[nodiscard]] monitor::TraceRing const& trace() const { return log_.trace(); }
  [[nodiscard]] Time reset_at() const { return reset_at_; }
  // report.h has more about these.
  [[nodiscard]] monitor::DomainUsage usage_since_reset(DomainId domain) const {
    return report().usage_since_reset(domain);
  }
  [[nodiscard]] monitor::LatencyHistogram const& latency(DomainId domain) const {
    return report().latency(domain);
  }
  [[nodiscard]] monitor::Service service(DomainId domain) const { return report().service(domain); }
  [[nodiscard]] Conduct conduct(DomainId domain) const { return report().conduct(domain); }
  [[nodiscard]] std::uint32_t calling_vcpu(DomainId domain) const { return report().calling_vcpu(domain); }
  [[nodiscard]] std::optional<DomainId> domain_of(TaskId task) const { return report().domain_of(task); }
  [[nodiscard]] std::vector<Caller> on_device() const { return report().on_device(gate_); }
  [[nodiscard]] bool given_up(TaskId task) const { return report().given_up(task); }
  [[nodiscard]] bool disobeyed(TaskId task) const { return report().disobeyed(task); }
  [[nodiscard]] bool running(DomainId domain) const {
    return gate_.drained() && ordered_has(state_.decision.run, domain);
  }
  [[nodiscard]] bool gate_open(TaskId task) const { return gate_.open(task); }

private:
  // Interval between readings while the last call of a time slice still runs, for runaways and in case a
  // worker did not kick.
  static constexpr std::chrono::milliseconds drain_check{20};
  // A task whose gate stays open does not kick for new calls. Under a shared policy this is the least time
  // between two readings of all open tasks; a tick is the longest, while they use the device.
  static constexpr std::chrono::milliseconds shared_review{1};
  // How often tasks are read of which the host computes something.
  static constexpr std::chrono::milliseconds host_review{10};
  // A lower limit on the wait. A policy that always asks to be called at once would otherwise
  // occupy its caller.
  static constexpr std::chrono::microseconds shortest_wait{50};

  void entering(TaskId task) override;
  void opened(TaskId task, std::atomic<std::uint32_t>& word) override;
  void closed(TaskId task) override;
  void drained(TaskId task) override;

  void follow_policy();
  void decide();
  void take_answers();
  void post_orders();
  [[nodiscard]] bool keeps_reservations() const { return reservations_allowed_ && !state_.entry->keeps_slos; }
  void reserve(policies::Decision& next);
  [[nodiscard]] policies::View view();
  void slice_begins();
  [[nodiscard]] Time next_point() const;
  void read(Time now);

  // dispatcher_state.cpp
  void visit(policies::StateVisitor& state);
  void visit_wake(policies::StateVisitor& state);
  void restore_records(state::Dispatcher const& from, PagesOf const& pages_of, std::string& refused);
  void restore_policy(state::Dispatcher const& from, std::string& refused);

  [[nodiscard]] Report report() const { return Report(state_); }

  SchedulerState state_;
  bool reservations_allowed_;
  gate::Gate gate_;
  Charging charging_;
  Overruns overruns_;
  TaskChoice task_choice_;
  TimeSliceLog log_;
  Lease lease_;                // of all open gates
  std::vector<TaskId> kicked_; // since the last point; includes new tasks

  Time reset_at_{};             // of the statistics
  Time host_read_at_{};         // when tasks with a call on the host were last read
  Time shared_read_at_{};       // when all tasks that have the device were last read
  Nanos shared_busy_{0};        // ... the device time of all domains then
  bool shared_used_ = false;    // ... and whether they have used it since the time before, or have calls
  Actions actions_;             // the current point's result so far
  std::string_view decided_by_; // the policy that made the decision
  bool switched_ = false;       // the policy changed: decide even while tasks drain
  bool reserved_ = false;       // the decision is a reservation's, and the policy's waits
  bool changing_ = false;       // the decision's domains do not have the device yet
  Time run_since_{};            // since when they have it
};

} // namespace pegasus::scheduler
