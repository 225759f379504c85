// SPDX-License-Identifier: Apache-2.0
#include "policies/state_of_view.h"

#include <array>
#include <variant>

namespace pegasus::policies {

namespace {

constexpr std::array each_tunable{tunable::tick,        tunable::host_weight,  tunable::slice,
                                  tunable::hold,        tunable::longest_wait, tunable::look_ahead,
                                  tunable::interactive, tunable::patience,     tunable::free_run};

double number(Tunables const& of, Tunable const& tunable) {
  if (auto const* const time = std::get_if<Nanos Tunables::*>(&tunable.field))
    return static_cast<double>((of.*(*time)).count());
  return of.*std::get<double Tunables::*>(tunable.field);
}

} // namespace

void visit(CpuState& cpu, StateVisitor& state) {
  state.field("running", cpu.running);
  state.field("running_since", cpu.running_since);
  state.field("blocked_since", cpu.blocked_since);
  state.field("credit_left", cpu.credit_left);
  state.field("weight", cpu.weight);
}

void visit(DomainView& domain, StateVisitor& state) {
  state.field("id", domain.id);
  state.field("credits", domain.credits);
  state.field("calling_vcpu", domain.calling_vcpu);
  state.field("cpu", domain.cpu);
  state.field("tasks", domain.tasks);
  state.field("calls_waiting", domain.calls_waiting);
  state.field("calls_since", domain.calls_since);
  state.field("barred", domain.barred);
  state.field("capped", domain.capped);
  state.field("requests_waiting", domain.requests_waiting);
  state.field("on_device", domain.on_device);
  state.field("context_established", domain.context_established);
  state.field("sync_call_rate", domain.sync_call_rate);
  state.field("sync_calls_total", domain.sync_calls_total);
  state.field("device_busy_total", domain.device_busy_total);
  state.field("debt", domain.debt);
  state.field("host_charged_total", domain.host_charged_total);
  state.field("average_wait", domain.average_wait);
  state.field("slo", domain.slo);
  state.field("latency_slice", domain.latency_slice);
  state.field("memory_bytes", domain.memory_bytes);
}

void visit(PieceLimit& pieces, StateVisitor& state) {
  state.field("from", pieces.from);
  state.duration("longest", pieces.longest);
}

void visit(Decision& decision, StateVisitor& state) {
  state.ascending("run", decision.run);
  state.time_or("until", decision.until, Time::max());
  state.time_or("ask_again", decision.ask_again, Time::max());
  state.ascending("wake", decision.wake);
  state.choice("reason", decision.reason, Reason::reservation);
  state.field("exclusive", decision.exclusive);
  state.field("pieces", decision.pieces);
}

void visit(Tunables& tunables, StateVisitor& state) {
  for (Tunable const& each : each_tunable) {
    std::visit([&](auto const field) { state.field(each.name, tunables.*field); }, each.field);
    double const value = number(tunables, each);
    bool const automatic = !each.automatic.empty() && value == static_cast<double>(automatic_hold.count());
    state.require(automatic || (value >= each.least && value <= each.most), each.name);
  }
}

} // namespace pegasus::policies
