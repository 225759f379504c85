// SPDX-License-Identifier: Apache-2.0
#include "monitor/wake_meter.h"

#include <algorithm>

namespace pegasus::monitor {

void WakeMeter::opened(DomainId id, Time at, VcpuSchedule const& before) {
  Domain& domain = domains_[id];
  domain.pending.reset(); // one that did not run in a whole time slice did not want to
  domain.wake_ups.waited += before.state == VcpuState::runnable ? 1 : 0;
  if (before.state == VcpuState::running)
    ++domain.wake_ups.ran_already;
  else
    domain.pending = {at, before.ran};
}

bool WakeMeter::sample(DomainId id, VcpuSchedule const& after) {
  auto const found = domains_.find(id);
  if (found == domains_.end() || !found->second.pending) return true;
  auto const [at, had_run] = *found->second.pending;
  Nanos const ran = after.ran - had_run;
  if (after.state != VcpuState::running && ran <= Nanos{0}) return false;
  found->second.wake_ups.latency.add(std::max(after.since - ran - at, Nanos{0}));
  found->second.pending.reset();
  return true;
}

WakeUps const& WakeMeter::of(DomainId id) const {
  static WakeUps const none;
  auto const found = domains_.find(id);
  return found == domains_.end() ? none : found->second.wake_ups;
}

} // namespace pegasus::monitor
