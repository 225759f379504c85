// SPDX-License-Identifier: Apache-2.0
// The scheduling loop of one accelerator: reads what happened (monitor), asks the policy, carries the answer
// out (gate). Runs at scheduling points only: a worker's bell, the end of a turn, arrivals, departures, and
// changes of credits or policy.
#pragma once

#include "domA/gate/gate.h"
#include "monitor/service_meter.h"
#include "monitor/trace_ring.h"
#include "monitor/usage_meter.h"
#include "policies/registry.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace pegasus::daemon {

using gate::TaskId;
using policies::DomainId;
using policies::Nanos;
using policies::Time;

struct DomainSettings {
  std::uint32_t credits = policies::default_credits;
  std::uint32_t cpu_weight = policies::default_credits;
  double slo = 0;
};

class Scheduler {
public:
  struct Setup {
    policies::Entry const* policy;
    policies::Tunables tunables;
    Nanos runaway; // how long a call may outlive its turn before its task is given up
    std::function<void(TaskId)> give_up;
    std::function<TaskId()> on_device; // whose call the device executes now; any other number: nobody's
    // Sets what a View says of a domain on the CPUs, and returns how old that is. Asked for policies that
    // want it.
    std::function<Nanos(policies::DomainView&, Time now)> cpu_schedule;
    // The gate of a domain whom the policy wants on a CPU was opened; its last call came from this vCPU.
    std::function<void(DomainId, std::uint32_t vcpu)> woken;
    std::function<void(bool)> work; // told at each decision whether anybody has calls
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now(); // time 0
  };
  Scheduler(boost::asio::io_context& io, Setup setup);

  void set_domain(DomainId domain, DomainSettings const& settings); // new or changed
  void forget_domain(DomainId domain);                              // one without tasks
  void attach(TaskId task, DomainId domain, gate::GatePage& gate, gate::UsagePage const& usage);
  void detach(TaskId task);
  void use(policies::Entry const& policy); // running calls go on; the next decision is the new policy's

  [[nodiscard]] policies::Entry const& policy() const { return *setup_.policy; }
  [[nodiscard]] monitor::TraceRing const& trace() const { return trace_; }
  void bring_up_to_date(); // the totals
  void reset_statistics(); // a measurement begins; policies see no difference
  [[nodiscard]] monitor::DomainUsage usage_since_reset(DomainId domain) const;
  [[nodiscard]] monitor::LatencyHistogram const& latency(DomainId domain) const {
    return meter_.latency(domain);
  }
  [[nodiscard]] Nanos since_reset() const { return now() - baseline_at_; }
  [[nodiscard]] monitor::Service service(DomainId domain) const { return service_.of(domain); }
  [[nodiscard]] std::optional<DomainId> domain_of(TaskId task) const;
  [[nodiscard]] bool running(DomainId domain) const;
  [[nodiscard]] bool gate_open(TaskId task) const { return gate_.open(task); }
  [[nodiscard]] int bell_fd() { return bell_.native_handle(); }
  [[nodiscard]] Time now() const; // since Setup::started
  void stop();

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
  // A policy that asks to be asked at once again would keep us from everything else.
  static constexpr std::chrono::microseconds shortest_wait{50};

  void wait_for_bell();
  void schedule_point(); // decides unless a change is still being carried out
  void decide();
  void gates_opened(Time now);
  void turn_begins(Time now);
  void turn_ended(policies::Decision const& next, Time now);
  void arm_timer(Time now);
  void give_up_runaways(Time now);
  [[nodiscard]] std::vector<policies::DomainView> views(Time now, Nanos& schedule_age) const;
  [[nodiscard]] Nanos device_busy() const; // of all domains, ever
  void read_usage(Time now);
  void read_service(Time now);
  void read_latency(TaskId task, gate::UsagePage const& page);

  boost::asio::posix::stream_descriptor bell_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer bell_pause_;
  Setup setup_;
  std::unique_ptr<policies::Policy> policy_;
  gate::Gate gate_;
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

} // namespace pegasus::daemon
