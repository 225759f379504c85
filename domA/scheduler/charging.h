// SPDX-License-Identifier: Apache-2.0
// Reads what workers report in their pages, charges it to their tasks and domains, and brings up to date all that
// follows from it: caps, reservations, demand, service, and the domain's entry in the View.
#pragma once

#include "domA/gate/gate.h"
#include "domA/scheduler/scheduler_state.h"

#include <span>
#include <vector>

namespace pegasus::scheduler {

// At the time SchedulerState::now. The caller keeps the state and the gate.
class Charging {
public:
  Charging(SchedulerState& state, gate::Gate const& gate) : state_(state), gate_(gate) {}

  // The domain's record; a new one with default settings if there is none.
  [[nodiscard]] DomainRecord& record_of(DomainId domain);
  void follow_policy(); // the policy or its tunables have changed
  void detached(TaskRecord const& task) { std::erase(silent_, &task); }

  void read(TaskRecord& task);
  void read_open(); // those whose gate is open
  void read_news(); // ... if there is something to be read
  void read_on_host();
  void read_latency(TaskRecord& task) const;
  void read_all();
  // Updates all that is derived from the domain's state. Call it when something changed that read() does not see.
  void changed(DomainRecord& domain);
  // Which domains have the device from now on, ordered.
  void serve(std::span<DomainId const> domains);
  // Where domains share the device: looks who keeps it from others and reports nothing.
  void charge_unclaimed();
  // The debts under the policy, which is about to change, are kept in the domains' records.
  void take_over_debts();
  // The policy has seen the View: what it has taken over is in its own accounts, and who has left and owes nothing leaves
  // the View.
  void debts_seen();
  void reset_statistics();
  // What passed since gates have closed by themselves is nobody's.
  void pass_over(Nanos stall);

  void visit(policies::StateVisitor& state); // what it keeps beside the records, which have been visited

private:
  void set_lengths(DomainRecord& domain) const; // of what depends on the tick
  void excuse(DomainRecord& domain, Nanos used);
  void sample_service(DomainRecord& domain) const;
  [[nodiscard]] std::vector<TaskRecord*> silent();

  SchedulerState& state_;
  gate::Gate const& gate_;
  std::vector<DomainId> served_;    // have the device; none while tasks drain
  std::vector<TaskRecord*> silent_; // keep the device and report nothing
};

} // namespace pegasus::scheduler
