// SPDX-License-Identifier: Apache-2.0
// A small machine in virtual time that a policy drives: domains that launch kernels one after another, one
// device that runs a kernel to its end, gates that open when the device has drained. For tests.
#pragma once

#include "policies/policy.h"
#include "policies/testing/view_changes.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace pegasus::policies::testing {

struct Demand {
  Nanos kernel;   // how long each of its kernels takes
  Nanos think{0}; // from the end of a kernel to the next call; 0: greedy, the next one is always queued
};

struct Guest {
  DomainId id;
  Demand demand;
  std::uint32_t credits = default_credits;
  double slo = 0;
  Nanos latency_slice{0};
};

class VirtualMachine {
public:
  struct Options {
    Nanos spin{0}; // hybrid spin: a domain counts as having calls for this long after its last kernel
    bool late_totals = false; // device time is seen when a kernel ends, not while it runs
    std::function<void(Time now, DomainView&)> cpu_schedule = nullptr; // sets what a policy sees
  };

  VirtualMachine(Policy& policy, std::vector<Guest> const& guests)
      : VirtualMachine(policy, guests, Options{}) {}
  VirtualMachine(Policy& policy, std::vector<Guest> const& guests, Options options);

  void run(Nanos span);
  // Starts a new measurement.
  void mark();
  // A domain that is switched off makes no further calls.
  void set_active(DomainId id, bool active);
  void set_demand(DomainId id, Demand demand);
  void set_credits(DomainId id, std::uint32_t credits);

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Nanos received(DomainId id) const;     // device time since the mark
  [[nodiscard]] double share(DomainId id) const;       // of all device time since the mark
  [[nodiscard]] double busy() const;                   // fraction of the time since then
  [[nodiscard]] double fairness_by_credits() const;    // MMR against the credits
  [[nodiscard]] double fairness_of_equals() const;     // MMR against equal shares
  [[nodiscard]] Nanos longest_wait(DomainId id) const; // with a call, from one of its kernels to the next
  [[nodiscard]] std::size_t switches() const { return switches_; }

private:
  struct Slot {
    Guest guest;
    bool active = true;
    bool called = true;  // a kernel is queued
    bool waiting = true; // what the policy is told
    Time changed_at{};   // when that last changed
    Time call_at{};      // when it will be queued
    Time quiet_at{};     // when the hybrid spin gives up
    Time queued_at{};
    Time served_at{};
    Nanos done{0}; // device time of its finished kernels
    Nanos marked{0};
    Nanos longest_wait{0};
  };

  [[nodiscard]] std::size_t index(DomainId id) const;
  [[nodiscard]] Slot const& slot(DomainId id) const { return slots_[index(id)]; }
  [[nodiscard]] Nanos total(Slot const& slot, bool as_seen) const;
  [[nodiscard]] bool may_run(std::size_t slot) const;
  [[nodiscard]] Time next_event(Time end) const;
  bool finish_kernel();
  bool update_calls();
  void start_kernel();
  void decide();
  [[nodiscard]] double fairness(bool by_credits) const;

  Policy& policy_;
  Options options_;
  std::vector<Slot> slots_;
  Time now_{};
  Time marked_at_{};
  Decision decision_;
  Time run_since_{}; // when it was carried out
  ViewChanges changes_;
  std::optional<std::size_t> on_device_;
  Time kernel_started_{};
  Time kernel_ends_{};
  bool decided_ = false;
  std::size_t switches_ = 0;
};

} // namespace pegasus::policies::testing
