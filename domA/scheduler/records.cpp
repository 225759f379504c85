// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/records.h"

namespace pegasus::scheduler {

void DomainRecord::visit(policies::StateVisitor& state) {
  state.field("settings", settings);
  state.field("usage", usage);
  state.field("latency", latency);
  state.field("killed", killed);
  state.duration("debt", debt);
  state.duration("used", used);
  state.duration("excused", excused);
  state.field("cap", cap);
  state.field("reservation", reservation);
  state.field("offence", offence);
  state.field("demand", demand);
  state.field("service", service);
  state.field("baseline", baseline);
}

void TaskRecord::visit(policies::StateVisitor& state) {
  state.field("page", page);
  state.field("metered", metered);
  state.duration("used", used);
  state.field("turn", turn);
  state.field("latency", *latency);
  state.field("holds", holds);
  state.claim("executing_since", executing_since);
  state.duration("cpu_wait", cpu_wait);
  state.field("conduct", conduct);
  state.field("device_use", device_use);
  state.field("unclaimed", unclaimed);
  state.field("order", order);
  state.field("evicted", evicted);
}

} // namespace pegasus::scheduler
