// SPDX-License-Identifier: Apache-2.0
// The pool of pCPUs that the guests run on, and which of Xen's schedulers it has.
#pragma once

#include "sim/cpu/cpu_scheduler.h"
#include "sim/timeline.h"

#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace pegasus::sim {

class Clock;

enum class SchedulerKind { credit, credit2 };
inline constexpr std::array<std::pair<std::string_view, SchedulerKind>, 2> scheduler_kinds{
    {{"credit", SchedulerKind::credit}, {"credit2", SchedulerKind::credit2}}};

struct PoolSettings {
  SchedulerKind scheduler = SchedulerKind::credit;
  unsigned pcpus = 1;
  Nanos slice{std::chrono::milliseconds(30)}; // of credit; credit2 has none
  Nanos ratelimit{std::chrono::milliseconds(1)};
  bool ticks_spread = false; // of credit
};

// The most that a pool of this scheduler may have.
[[nodiscard]] unsigned max_pcpus(SchedulerKind scheduler);

[[nodiscard]] std::unique_ptr<CpuScheduler> make_scheduler(Clock& clock, PoolSettings const& pool,
                                                           Timeline* timeline = nullptr);

} // namespace pegasus::sim
