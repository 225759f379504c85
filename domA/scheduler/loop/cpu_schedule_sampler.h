// SPDX-License-Identifier: Apache-2.0
// What the CPUs do while the accelerator works. Fills the CPU part of a policy's View, samples how far a
// domain's device time and CPU time coincide, and boosts a waiting vCPU when its domain's time slice begins.
// The schedule of guests comes from Xen, that of local domains from the operating system.
#pragma once

#include "domA/scheduler/boost_limit.h"
#include "domA/scheduler/cpu_schedule.h"
#include "domA/scheduler/loop/process_schedule.h"
#include "domA/scheduler/loop/xen/schedule.h"
#include "monitor/overlap_meter.h"
#include "monitor/wake_meter.h"

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pegasus::scheduler {

using policies::DomainId;
using policies::Nanos;
using policies::Time;

class CpuScheduleSampler final : public CpuSchedule {
public:
  struct Setup {
    std::function<std::vector<Caller>()> on_device; // callers whose work the accelerators are executing
    std::function<Time()> now;
  };
  CpuScheduleSampler(boost::asio::io_context& io, Setup setup);

  void use(std::unique_ptr<xen::Schedule> schedule); // on a Xen host
  void set_guest(DomainId domain, std::uint32_t guest);
  void attach(DomainId domain, pid_t process);
  void detach(DomainId domain, pid_t process);
  void work(bool there_is); // an accelerator's domains now have calls, or have none any more
  void forget(DomainId domain);

  [[nodiscard]] policies::CpuState read(Caller const& caller, Time now) override;
  void gate_opened(Caller const& caller); // its vCPU must be woken

  [[nodiscard]] monitor::Overlap overlap(DomainId domain) const { return overlap_.of(domain); }
  [[nodiscard]] monitor::WakeUps const& wake_ups(DomainId domain) const { return wake_ups_.of(domain); }
  void reset_statistics();
  [[nodiscard]] std::string source() const; // for the operator

private:
  // The pauses between samples vary because time slices and Xen's ticks are multiples of milliseconds.
  static constexpr std::chrono::microseconds min_pause{2'500};
  static constexpr std::chrono::microseconds max_pause{7'500};
  // A vCPU that has not run by the last of these samples did not want to.
  static constexpr std::array<std::chrono::microseconds, 5> later_samples{
      std::chrono::microseconds(100), std::chrono::microseconds(300), std::chrono::microseconds(1'000),
      std::chrono::microseconds(3'000), std::chrono::microseconds(10'000)};

  struct Domain {
    std::optional<std::uint32_t> guest; // its Xen domain; nullopt: a local domain
    std::vector<pid_t> processes;
  };
  void sample_later();
  void sample();
  void sample_later(Caller const& caller, Time opened, std::size_t number);
  void boost(std::uint32_t guest, std::uint32_t vcpu, Time now);
  void forget_guest(std::uint32_t guest);

  boost::asio::steady_timer sampling_; // stops by itself when there is no work
  boost::asio::steady_timer later_;
  Setup setup_;
  std::unique_ptr<xen::Schedule> guests_;
  ProcessSchedule processes_;
  monitor::OverlapMeter overlap_;
  monitor::WakeMeter wake_ups_;
  BoostLimit boosts_;
  bool told_no_boost_ = false;
  std::map<DomainId, Domain> domains_;
  unsigned working_ = 0; // accelerators whose domains have calls
  bool sampling_soon_ = false;
  std::uint32_t random_ = 1;
};

} // namespace pegasus::scheduler
