// SPDX-License-Identifier: Apache-2.0
// The scheduling of one accelerator: reads what happened (monitor), asks the policy which domains run,
// chooses among a domain's tasks, carries that out (gate), and keeps the accounts. Pure: its caller brings
// the time, and does what an Actions says. scheduler_loop.h is the caller that has a clock; tests and a
// simulator bring virtual time.
//
// Whoever calls an event (attach, detach, use, set_domain, rang) calls point() after it. What a point costs
// grows with what happened since the last one and with those who have the device, not with all that there
// are.
#pragma once

#include "domA/gate/gate.h"
#include "domA/scheduler/back_off.h"
#include "domA/scheduler/task_turns.h"
#include "domA/scheduler/view_builder.h"
#include "monitor/service_meter.h"
#include "monitor/trace_ring.h"
#include "monitor/usage_meter.h"
#include "policies/registry.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace pegasus::scheduler {

// What a scheduling point asks of its caller.
struct Actions {
  std::vector<std::atomic<std::uint32_t>*>
      wake;                    // gate words that were opened: their workers may be asleep on them
  std::vector<Caller> rouse;   // whose gate was opened and who, says the policy, is wanted on a CPU
  std::vector<TaskId> give_up; // whose call keeps others waiting for longer than the limit
  bool work = false;           // somebody has calls
  Time next{0};                // the next scheduling point, if nothing happens before
};

// What operators see of a domain's conduct.
struct Conduct {
  Nanos debt{0}; // device time beyond its share, by the policy's account
  std::uint64_t killed =
      0;                // since the reset: tasks whose calls kept others waiting for longer than the limit
  Time barred_until{0}; // its calls are not seen before (back_off.h)
};

class Dispatcher final : private gate::Gate::Listener {
public:
  struct Setup {
    policies::Entry const* policy;
    policies::Tunables tunables;
    Nanos runaway; // how long a call may keep others waiting before its task is given up
    CpuSchedule* cpu_schedule = nullptr;
    Nanos clock_at_zero{0}; // CLOCK_MONOTONIC, by which workers say since when they execute, at time 0
  };
  explicit Dispatcher(Setup const& setup);
  Dispatcher(Dispatcher const&) = delete;
  Dispatcher& operator=(Dispatcher const&) = delete;

  void set_domain(DomainId domain, DomainSettings const& settings); // new or changed
  void forget_domain(DomainId domain);                              // one without tasks
  void attach(TaskId task, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage, Time now);
  void detach(TaskId task, Time now);                 // its worker is dead; its pages are still there
  void rang(TaskId task);                             // its worker: it stopped, or has calls
  void use(policies::Choice const& choice, Time now); // running calls go on; debts are taken over

  // A scheduling point: at Actions::next of the one before, and after every event.
  [[nodiscard]] Actions point(Time now);

  void bring_up_to_date(Time now); // the totals
  void reset_statistics(Time now); // a measurement begins; policies see no difference

  [[nodiscard]] policies::Entry const& policy() const { return *entry_; }
  [[nodiscard]] policies::Tunables const& tunables() const { return tunables_; }
  [[nodiscard]] monitor::TraceRing const& trace() const { return trace_; }
  [[nodiscard]] monitor::DomainUsage usage_since_reset(DomainId domain) const;
  [[nodiscard]] monitor::LatencyHistogram const& latency(DomainId domain) const {
    return meter_.latency(domain);
  }
  [[nodiscard]] Time reset_at() const { return baseline_at_; }
  [[nodiscard]] monitor::Service service(DomainId domain) const { return service_.of(domain); }
  [[nodiscard]] Conduct conduct(DomainId domain) const;
  [[nodiscard]] std::optional<DomainId> domain_of(TaskId task) const;
  // From which its next call comes, by the guest's own word; 0: it has no tasks.
  [[nodiscard]] std::uint32_t calling_vcpu(DomainId domain) const;
  [[nodiscard]] std::vector<Caller> on_device() const; // whose work the device executes, by their workers
  [[nodiscard]] bool running(DomainId domain) const;
  [[nodiscard]] bool gate_open(TaskId task) const { return gate_.open(task); }
  [[nodiscard]] bool given_up(TaskId task) const; // this one, not one that had its number before

private:
  struct DomainState {
    DomainSettings settings;
    TaskTurns tasks;
    std::uint64_t killed = 0;
    Nanos debt{0};                // under the policy before; until an exclusive one has seen it
    std::uint32_t waits_with = 0; // credits, while it has calls
  };
  struct TaskState {
    DomainId domain;
    gate::UsagePage const* usage;
    Time read_at;
    Nanos used{0};      // device and host time, at the last reading
    bool holds = false; // its gate is open, or it has not stopped since that was closed
    std::optional<Time> executing_since{};
    std::optional<Time> blocks_since{}; // since when it keeps other domains waiting though told to stop
    bool given_up = false;
  };

  // While a turn's last call still runs we look again this often, for runaways and in case a bell was not
  // rung.
  static constexpr std::chrono::milliseconds drain_check{20};
  // Who goes on with an open gate does not ring for it. Where everybody's is open, the least time between two
  // readings of all of them.
  static constexpr std::chrono::milliseconds shared_review{1};
  // How long a gate stays open if nobody renews that: pegasusd is stopped, or hangs.
  static constexpr std::chrono::seconds lease{2};
  // A policy that asks to be asked at once again would keep its caller from everything else.
  static constexpr std::chrono::microseconds shortest_wait{50};

  void opened(TaskId task, std::atomic<std::uint32_t>& word) override;
  void closed(TaskId task) override;
  void drained(TaskId task) override;

  void follow_tunables();
  void decide();
  [[nodiscard]] policies::View view();
  void debts_seen();
  [[nodiscard]] std::uint64_t turn_ends() const; // as in gate::GatePage
  void choose_tasks();
  void renew_lease();
  void turn_begins();
  void turn_ended(policies::Decision const& next);
  void stopped(TaskState const& task);
  void runaways();
  // Of the other domains that have calls, over this one's; 0: nobody waits.
  [[nodiscard]] double others_credits(DomainId domain) const;
  [[nodiscard]] Time next_point() const;
  void read(Time now);
  void read_task(TaskId id);
  void changed(DomainId domain);
  void look_at_service(DomainId domain);
  [[nodiscard]] std::vector<TaskId> holders() const;
  void read_latency(TaskId task, gate::UsagePage const& page);
  [[nodiscard]] DomainState& state_of(DomainId domain);

  policies::Entry const* entry_;
  policies::Tunables tunables_;
  Nanos runaway_;
  Nanos clock_at_zero_;
  std::unique_ptr<policies::Policy> policy_;
  ViewBuilder views_;
  gate::Gate gate_;
  BackOff back_off_;
  monitor::UsageMeter meter_;
  monitor::ServiceMeter service_;
  monitor::TraceRing trace_;
  std::map<DomainId, DomainState> domains_;
  std::map<TaskId, TaskState> tasks_;
  std::vector<TaskId> rang_;          // since the last point, and who came
  std::set<DomainId> debtors_;        // seen by policies even without tasks
  std::uint64_t waiting_credits_ = 0; // of the domains that have calls

  Time now_{0};            // of the event or point that is being worked on
  Time leased_until_{0};   // all open gates
  Time shared_read_at_{0}; // when all who have the device were read last
  Actions actions_;        // ... and what came of it so far
  policies::Decision decision_;
  std::string_view decided_by_;                       // the policy that made it
  bool switched_ = false;                             // the policy: it is to decide even while tasks drain
  bool changing_ = false;                             // decision_.run has not the device yet
  Time promised_{0};                                  // until when those who had it before were to have it
  Time run_since_{0};                                 // since when decision_.run has the device
  Time turn_start_{0};                                // the trace's: when the turn began
  Nanos turn_busy_{0};                                // what the device had done by then, for all
  std::map<DomainId, monitor::DomainUsage> baseline_; // at the last reset
  Time baseline_at_{0};
};

} // namespace pegasus::scheduler
