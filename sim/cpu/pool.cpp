// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/pool.h"

#include "sim/cpu/credit.h"
#include "sim/cpu/credit2.h"

namespace pegasus::sim {

unsigned max_pcpus(SchedulerKind scheduler) {
  return scheduler == SchedulerKind::credit2 ? Credit2::max_pcpus : 1024;
}

std::unique_ptr<CpuScheduler> make_scheduler(Clock& clock, PoolSettings const& pool, Timeline* timeline) {
  if (pool.scheduler == SchedulerKind::credit2)
    return std::make_unique<Credit2>(
        clock, Credit2::Options{.pcpus = pool.pcpus, .ratelimit = pool.ratelimit}, timeline);
  return std::make_unique<Credit>(clock,
                                  Credit::Options{.pcpus = pool.pcpus,
                                                  .slice = pool.slice,
                                                  .ratelimit = pool.ratelimit,
                                                  .ticks_spread = pool.ticks_spread},
                                  timeline);
}

} // namespace pegasus::sim
