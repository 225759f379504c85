// SPDX-License-Identifier: Apache-2.0
// The scheduling of one accelerator: reads what happened (monitor), asks the policy, carries the answer out
// (gate). Pure: its caller brings the time, and does what an Actions says. scheduler_loop.h is the caller
// that has a clock; tests and a simulator bring virtual time.
//
// Whoever calls an event (attach, detach, use, set_domain) calls point() after it.
#pragma once

#include "domA/gate/gate.h"
#include "domA/scheduler/view_builder.h"
#include "monitor/service_meter.h"
#include "monitor/trace_ring.h"
#include "monitor/usage_meter.h"
#include "policies/registry.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace pegasus::scheduler {

using gate::TaskId;

// What a scheduling point asks of its caller.
struct Actions {
  struct Rouse {
    DomainId domain;
    std::uint32_t vcpu; // of its last call, by the guest's own word
    bool operator==(Rouse const&) const = default;
  };
  std::vector<std::atomic<std::uint32_t>*>
      wake;                    // gate words that were opened: their workers may be asleep on them
  std::vector<Rouse> rouse;    // whose gate was opened and who, says the policy, is wanted on a CPU
  std::vector<TaskId> give_up; // whose call outlived its turn by the limit
  bool work = false;           // somebody has calls
  Time next{0};                // the next scheduling point, if nothing happens before
};

class Dispatcher {
public:
  struct Setup {
    policies::Entry const* policy;
    policies::Tunables tunables;
    Nanos runaway; // how long a call may outlive its turn before its task is given up
    CpuSchedule* cpu_schedule = nullptr;
  };
  explicit Dispatcher(Setup const& setup);
  Dispatcher(Dispatcher const&) = delete;
  Dispatcher& operator=(Dispatcher const&) = delete;

  void set_domain(DomainId domain, DomainSettings const& settings); // new or changed
  void forget_domain(DomainId domain);                              // one without tasks
  void attach(TaskId task, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage, Time now);
  void detach(TaskId task, Time now);
  void use(policies::Entry const& policy); // running calls go on; the next decision is the new policy's

  // A scheduling point: at Actions::next of the one before, after every event, and when a worker rang.
  // `on_device`: whose call the device executes now; any other number: nobody's.
  [[nodiscard]] Actions point(Time now, TaskId on_device);

  void bring_up_to_date(Time now); // the totals
  void reset_statistics(Time now); // a measurement begins; policies see no difference

  [[nodiscard]] policies::Entry const& policy() const { return *entry_; }
  [[nodiscard]] monitor::TraceRing const& trace() const { return trace_; }
  [[nodiscard]] monitor::DomainUsage usage_since_reset(DomainId domain) const;
  [[nodiscard]] monitor::LatencyHistogram const& latency(DomainId domain) const {
    return meter_.latency(domain);
  }
  [[nodiscard]] Time reset_at() const { return baseline_at_; }
  [[nodiscard]] monitor::Service service(DomainId domain) const { return service_.of(domain); }
  [[nodiscard]] std::optional<DomainId> domain_of(TaskId task) const;
  [[nodiscard]] bool running(DomainId domain) const;
  [[nodiscard]] bool gate_open(TaskId task) const { return gate_.open(task); }

private:
  struct TaskState {
    DomainId domain;
    gate::UsagePage const* usage;
    Time read_at;
    bool could_run; // its gate was open at the last reading, or its last call was not over
  };

  // While a turn's last call still runs we look again this often, for runaways and in case a bell was not
  // rung.
  static constexpr std::chrono::milliseconds drain_check{20};
  // A policy that asks to be asked at once again would keep its caller from everything else.
  static constexpr std::chrono::microseconds shortest_wait{50};

  void decide(Time now, Actions& actions);
  void gates_opened(Time now, Actions& actions);
  void turn_begins(Time now);
  void turn_ended(policies::Decision const& next, Time now);
  [[nodiscard]] Time next_point(Time now) const;
  [[nodiscard]] std::vector<TaskId> runaways(Time now, TaskId on_device);
  [[nodiscard]] Nanos device_busy() const; // of all domains, ever
  void read_usage(Time now);
  void read_service(Time now);
  void read_latency(TaskId task, gate::UsagePage const& page);

  policies::Entry const* entry_;
  policies::Tunables tunables_;
  Nanos runaway_;
  std::unique_ptr<policies::Policy> policy_;
  ViewBuilder views_;
  gate::Gate gate_;
  std::vector<std::atomic<std::uint32_t>*> opened_; // gate words, since the last Actions
  monitor::UsageMeter meter_;
  monitor::ServiceMeter service_;
  monitor::TraceRing trace_;
  std::map<DomainId, DomainSettings> domains_;
  std::map<TaskId, TaskState> tasks_;

  policies::Decision decision_;
  std::string_view decided_by_;                       // the policy that made it
  Time decided_{0};                                   // when decision_ was made
  Time turn_start_{0};                                // when its gates were opened
  Nanos turn_busy_{0};                                // device_busy() then
  Time change_since_{0};                              // when the change that is being carried out began
  std::map<DomainId, monitor::DomainUsage> baseline_; // at the last reset
  Time baseline_at_{0};
};

} // namespace pegasus::scheduler
