// SPDX-License-Identifier: Apache-2.0
// The state of one accelerator's scheduling: the records of domains and tasks, the rules over them, the policy and what it
// has decided. charging.h, overruns.h and dispatcher.h work on it.
#pragma once

#include "domA/scheduler/engine_line.h"
#include "domA/scheduler/records.h"
#include "domA/scheduler/shared_tasks.h"
#include "policies/registry.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace pegasus::scheduler {

[[nodiscard]] inline bool ordered_has(std::vector<DomainId> const& ids, DomainId id) {
  return std::ranges::binary_search(ids, id);
}

struct SchedulerState {
  policies::Entry const* entry;
  policies::Tunables tunables;
  std::unique_ptr<policies::Policy> policy;
  Nanos switch_cost;
  Nanos clock_at_zero;     // CLOCK_MONOTONIC at time 0
  EngineLine* engine_line; // nullptr: the device has its own queue
  TaskOrders::CpuTimesOf cpu_times;

  ViewBuilder views;
  PageWatch pages;
  Runaways runaways;
  ContextChanges changes;
  UnclaimedHolds unclaimed;
  TaskOrders orders;
  monitor::UsageMeter meter;
  SharedTasks shared_tasks{};
  BackOff back_off{};
  Caps caps{};
  Reservations reservations{};
  Demand demand{};
  Records records{};
  std::set<DomainId> debtors{}; // shown to policies even without tasks
  std::size_t frozen = 0;       // domains

  Time now{}; // of the current event or point
  policies::Decision decision{};
  Time promised{}; // until when the domains before those of the decision were to have the device

  void set(DomainRecord& domain, DomainSettings const& settings);
  // What the rules keep beside the records, which have been visited, and what was decided; the policy by itself.
  void visit(policies::StateVisitor& state);
  void erase(DomainRecord& domain); // has no tasks
  void erase(TaskRecord& task);     // the meters have seen its end
  // How long a domain may still use the device under its cap; nullopt: it has none.
  [[nodiscard]] std::optional<Nanos> cap_left(DomainId domain) const;
  [[nodiscard]] std::uint64_t monotonic_ns(Time time) const; // by CLOCK_MONOTONIC, as workers read it
  // One domain has the device, and one of its tasks at a time.
  [[nodiscard]] bool exclusive() const { return entry->exclusive || decision.exclusive; }
  // Takes out the domains that may not have the device, whatever the policy says. A policy that has several domains run
  // at a time does not look at their calls, and one without accounts knows no overruns.
  void keep_out(std::vector<DomainId>& run) const;
  [[nodiscard]] bool barred(DomainRecord const& domain) const { return BackOff::until(domain) > now; }
};

} // namespace pegasus::scheduler
