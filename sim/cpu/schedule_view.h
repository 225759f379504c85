// SPDX-License-Identifier: Apache-2.0
// The hypervisor's schedule of the guests as pegasusd sees it, and so its policies: from the pages of a patched Xen, from the
// trace buffers of another one, by hypercalls (domA/scheduler/loop/xen), or not at all. A scenario may make the pages old.
#pragma once

#include "domA/scheduler/cpu_schedule.h"
#include "monitor/credit_window.h"
#include "sim/clock.h"
#include "sim/cpu/cpu_scheduler.h"

#include <array>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace pegasus::sim {

enum class ScheduleSource {
  pages,      // of a patched Xen
  traces,     // of another Xen: the same, but an estimate of the credit
  hypercalls, // while somebody else reads those: at most one look in a millisecond, no times, the estimate
  none,       // Xen's libraries are missing
};
inline constexpr std::array<std::pair<std::string_view, ScheduleSource>, 4> schedule_sources{
    {{"pages", ScheduleSource::pages},
     {"traces", ScheduleSource::traces},
     {"hypercalls", ScheduleSource::hypercalls},
     {"none", ScheduleSource::none}}};

struct ScheduleSettings {
  ScheduleSource source = ScheduleSource::pages;
  // Of the pages: what is seen is that old, and as it was at the last multiple of the period. With an age and no
  // period it is older by up to 100 us.
  Nanos age{0}, period{0};

  bool operator==(ScheduleSettings const&) const = default;
};

class ScheduleView final : public scheduler::CpuSchedule {
public:
  ScheduleView(Clock& clock, CpuScheduler const& cpus, ScheduleSettings const& settings);

  // The next guest's vCPUs.
  void add(std::uint32_t weight, std::vector<CpuScheduler::VcpuId> const& vcpus);
  [[nodiscard]] policies::CpuState read(scheduler::Caller const& caller, Time now) override;
  // pegasusd boosts only a vCPU that it sees waiting.
  [[nodiscard]] bool boosts() const {
    return settings_.source == ScheduleSource::pages || settings_.source == ScheduleSource::traces;
  }

private:
  struct Guest {
    std::uint32_t weight;
    std::size_t first; // in vcpus_
    std::size_t count;
    Time asked_until{};
  };
  struct Asked { // of a vCPU; only traces and hypercalls leave something to estimate
    bool running = false;
    monitor::CreditWindow credit;
  };
  struct Sample {
    Time at;
    std::vector<VcpuState> states; // in the order of vcpus_
  };

  void sample();
  [[nodiscard]] Sample const* seen();
  void ask(Guest& guest, Time now);
  [[nodiscard]] Nanos estimate(std::size_t vcpu, Time now); // of its credit

  Clock const& clock_;
  CpuScheduler const& cpus_;
  ScheduleSettings settings_;
  Nanos pause_; // between samples; 0: none are taken
  // What a sample needs of all guests stands together in memory: under some policies each scheduling point looks at
  // a vCPU of each.
  std::vector<Guest> guests_;
  std::vector<CpuScheduler::VcpuId> vcpus_;
  std::vector<Asked> asked_;
  std::deque<Sample> samples_; // the first is what is seen, if it is old enough
  Timer sampling_;
};

} // namespace pegasus::sim
