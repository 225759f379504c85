// SPDX-License-Identifier: Apache-2.0
// What of the meter and its tasks is saved, and how it comes back.
#include "monitor/usage_meter.h"

namespace pegasus::monitor {

void TaskTotals::visit(policies::StateVisitor& state) {
  state.claim("device_busy", device_busy);
  state.claim("host_busy", host_busy);
  state.field("calls", calls);
  state.field("sync_calls", sync_calls);
  state.field("bytes", bytes);
  state.field("memory_bytes", memory_bytes);
  state.field("waiting", waiting);
  state.claim("executing_since", executing_since);
  state.field("requests_waiting", requests_waiting);
}

void DomainUsage::visit(policies::StateVisitor& state) {
  state.duration("booked", booked);
  state.duration("device_busy", device_busy);
  state.duration("host_busy", host_busy);
  state.duration("host_charged", host_charged);
  state.field("calls", calls);
  state.field("sync_calls", sync_calls);
  state.field("bytes", bytes);
  state.field("sync_call_rate", sync_call_rate);
}

void UsageMeter::Task::visit(policies::StateVisitor& state) {
  state.field("read_at", read_at);
  state.field("raw", raw);
  state.choice("gate", gate, Gate::draining);
  state.field("opened", opened);
  state.field("closed", closed);
  state.duration("booked", booked);
  state.duration("provisional", provisional);
  state.duration("booked_before", booked_before);
  state.duration("host", host);
  state.duration("host_charged", host_charged);
  state.duration("claimed_at_closing", claimed_at_closing);
  state.duration("others_at_closing", others_at_closing);
  state.claim("time_room", time_room);
  state.claim("gate_room", gate_room);
  state.claim("host_room", host_room);
  state.field("sync_call_rate", sync_call_rate);
}

// The rate is a sum whose last digits depend on the order of its parts.
void UsageMeter::restore(Task& task, DomainUsage& domain) {
  double const rate = domain.sync_call_rate;
  task.usage = &domain;
  add_levels(task);
  domain.sync_call_rate = rate;
  domain.provisional += task.provisional;
}

void UsageMeter::visit(policies::StateVisitor& state) {
  state.duration("of_tasks", of_tasks_);
  state.duration("device_busy", device_busy_);
}

} // namespace pegasus::monitor
