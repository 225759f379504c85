// SPDX-License-Identifier: Apache-2.0
// Tables in virtual time for the tests of policies:
//
//   Timeline line(policy);
//   line.domain(1).domain(2);                                   // connected, with calls
//   line.at(0ms).expect(run(1), until(10ms));
//   line.at(10ms).expect(run(2), until(20ms), because(Reason::slice_end));
//   line.at(12ms).quiet(2).expect(run(1), because(Reason::yield));
//
// Unless a row says otherwise, the running domain used the device all the time since the previous row.
#pragma once

#include "policies/policy.h"
#include "policies/testing/view_changes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <vector>

namespace pegasus::policies::testing {

struct Run {
  std::vector<DomainId> domains;
  void check(Decision const& decision) const { CHECK(decision.run == domains); }
};
struct Until {
  Time time;
  void check(Decision const& decision) const { CHECK(decision.until == time); }
};
struct AskAgain {
  Time time;
  void check(Decision const& decision) const { CHECK(decision.ask_again == time); }
};
struct Wakes {
  std::vector<DomainId> domains;
  void check(Decision const& decision) const { CHECK(decision.wake == domains); }
};
struct Pieces { // 0: as long as they like
  Nanos longest;
  void check(Decision const& decision) const {
    CHECK((decision.pieces ? decision.pieces->longest : Nanos{0}) == longest);
  }
};
struct Because {
  Reason reason;
  void check(Decision const& decision) const {
    CHECK(static_cast<int>(decision.reason) == static_cast<int>(reason));
  }
};

template <class... Ids> Run run(Ids... ids) { return {{static_cast<std::uint32_t>(ids)...}}; }
template <class... Ids> Wakes wakes(Ids... ids) { return {{static_cast<std::uint32_t>(ids)...}}; }
inline Run no_domain() { return {}; }
inline Until until(Nanos time) { return {Time{time}}; }
inline AskAgain ask_again(Nanos time) { return {Time{time}}; }
inline Pieces pieces(Nanos longest) { return {longest}; }
inline Pieces no_limit() { return {Nanos{0}}; }
inline Because because(Reason reason) { return {reason}; }

class Timeline {
public:
  explicit Timeline(Policy& policy) : policy_(policy) {}

  Timeline& domain(DomainId id, std::uint32_t credits = default_credits) {
    DomainView view;
    view.id = id;
    view.credits = credits;
    view.tasks = 1;
    view.calls_waiting = 1;
    view.context_established = true;
    domains_[id] = view;
    return *this;
  }

  // Starts a row. Rows are in the order of time.
  Timeline& at(Nanos time) {
    Time const now{time};
    for (DomainId const id : last_.run)
      if (domains_.contains(id)) domains_[id].device_busy_total += now - now_;
    now_ = now;
    return *this;
  }
  Timeline& calls(DomainId id) { return waiting(id, 1); }
  Timeline& quiet(DomainId id) { return waiting(id, 0); }
  // Its calls are hidden from now on; calls() or quiet() end that.
  Timeline& barred(DomainId id) {
    quiet(id);
    domains_[id].barred = true;
    return *this;
  }
  Timeline& leaves(DomainId id) {
    domains_.erase(id);
    return *this;
  }
  // The domain is in the View only because of its debt.
  Timeline& no_tasks(DomainId id) {
    domains_[id].tasks = 0;
    return quiet(id);
  }
  Timeline& credits(DomainId id, std::uint32_t credits) {
    domains_[id].credits = credits;
    return *this;
  }
  Timeline& weight(DomainId id, std::uint32_t cpu_weight) {
    domains_[id].cpu.weight = cpu_weight;
    return *this;
  }
  Timeline& slo(DomainId id, double slo) {
    domains_[id].slo = slo;
    return *this;
  }
  Timeline& latency(DomainId id, Nanos slice) {
    domains_[id].latency_slice = slice;
    return *this;
  }
  Timeline& in_debt(DomainId id, Nanos debt) {
    domains_[id].debt = debt;
    return *this;
  }
  Timeline& sync_calls(DomainId id, double per_second) {
    domains_[id].sync_call_rate = per_second;
    return *this;
  }
  Timeline& on_cpu(DomainId id, Nanos credit_left = Nanos{0}) {
    domains_[id].cpu.running = true;
    domains_[id].cpu.credit_left = credit_left;
    return *this;
  }
  Timeline& blocked(DomainId id, Nanos since) {
    domains_[id].cpu.blocked_since = Time{since};
    return off_cpu(id);
  }
  Timeline& off_cpu(DomainId id) {
    domains_[id].cpu.running = false;
    return *this;
  }
  Timeline& context(DomainId id, bool established) {
    domains_[id].context_established = established;
    return *this;
  }
  // The domain used the device for this much more (or, if negative, less) than the row assumes.
  Timeline& used_extra(DomainId id, Nanos time) {
    domains_[id].device_busy_total += time;
    return *this;
  }

  // What the device takes to change its owner.
  Timeline& switch_cost(Nanos cost) {
    switch_cost_ = cost;
    return *this;
  }

  // The last decision was carried out only now: the device had to drain.
  Timeline& drained() {
    run_since_ = now_;
    return *this;
  }

  template <class... Expectations> Timeline& expect(Expectations const&... expectations) {
    std::vector<DomainView> domains;
    domains.reserve(domains_.size());
    for (auto const& [id, domain] : domains_)
      domains.push_back(domain);
    last_ = policy_.decide({now_, run_since_, domains, changes_.take(domains), switch_cost_});
    std::chrono::duration<double, std::milli> const now_ms = now_.time_since_epoch();
    INFO("at " << now_ms.count() << " ms");
    (expectations.check(last_), ...);
    return *this;
  }
  [[nodiscard]] Decision const& last() const { return last_; }

private:
  Timeline& waiting(DomainId id, std::uint32_t calls) {
    domains_[id].calls_waiting = calls;
    domains_[id].barred = false;
    if (calls > 0) domains_[id].tasks = 1;
    return *this;
  }

  Policy& policy_;
  std::map<DomainId, DomainView> domains_;
  Time now_{};
  Nanos switch_cost_{0};
  Time run_since_{};
  ViewChanges changes_;
  Decision last_;
};

} // namespace pegasus::policies::testing
