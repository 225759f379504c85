// SPDX-License-Identifier: Apache-2.0
// Two domains with one task each under a real Dispatcher, in virtual time, for its tests.
#pragma once

#include "domA/gate/orders.h"
#include "domA/scheduler/dispatcher.h"

#include <catch2/catch.hpp>

#include <string_view>
#include <vector>

namespace pegasus::scheduler::testing {

using namespace std::chrono_literals;

// The worker's side of the pages.
struct Worker {
  TaskId task = 0;
  gate::GatePage gate{};
  gate::UsagePage usage{};
  [[nodiscard]] bool open() const { return (gate.word.load() & gate::word_open) != 0; }
  [[nodiscard]] bool told_to_wake() const { return (gate.word.load() & gate::word_wake) != 0; }
};

// What the worker does when it finds an order. Returns false if there is none.
inline bool obeys(Worker& worker, gate::OrderStatus status = gate::OrderStatus::done) {
  return gate::obey_order(worker.gate, worker.usage, [status](gate::Order const& order) {
    return gate::Answer{.status = status, .amount = order.amount + 1};
  });
}

// a is the worker of domain 10, b that of domain 20.
struct TwoDomains {
  static constexpr TaskId task_a = 1, task_b = 2;
  Time now{1s};
  CpuTimes cpu; // of all workers
  Dispatcher dispatcher;
  Actions last;
  std::vector<Caller> boosted;
  std::vector<TaskId> given_up;
  Worker a{task_a}, b{task_b};

  explicit TwoDomains(std::string_view policy, CpuSchedule* cpus = nullptr, EngineLine* line = nullptr,
                      Nanos switch_cost = Nanos{0})
      : dispatcher({.policy = policies::find(policy),
                    .tunables = {.tick = 10ms},
                    .runaway = 1s,
                    .host_call = 60s,
                    .switch_cost = switch_cost,
                    .cpu_schedule = cpus,
                    .engine_line = line,
                    .cpu_times = [this](TaskId) { return cpu; }}) {
    dispatcher.set_domain(10, {});
    dispatcher.set_domain(20, {});
    dispatcher.attach(task_a, 10, a.gate, a.usage, now);
    dispatcher.attach(task_b, 20, b.gate, b.usage, now);
    for (Worker* const worker : {&a, &b})
      starts(*worker);
    point();
  }
  void point() {
    last = dispatcher.point(now);
    boosted.insert(boosted.end(), last.boost.begin(), last.boost.end());
    given_up.insert(given_up.end(), last.give_up.begin(), last.give_up.end());
  }
  void starts(Worker& worker) {
    worker.usage.answered.store(worker.gate.order);
    dispatcher.kicked(worker.task);
  }
  // The worker changes its state and kicks.
  void becomes(Worker& worker, gate::Activity activity) {
    worker.usage.activity = activity;
    if (!worker.open()) worker.usage.obeyed = worker.gate.word.load();
    dispatcher.kicked(worker.task);
    point();
  }
  // The worker has a kernel on the device from now on.
  void executes(Worker& worker) {
    worker.usage.executing_since_ns = static_cast<std::uint64_t>(now.time_since_epoch().count());
    becomes(worker, gate::Activity::running);
  }
  // The kernel has ended; `then` is the worker's next state.
  void finishes(Worker& worker, gate::Activity then) {
    worker.usage.device_busy_ns +=
        static_cast<std::uint64_t>(now.time_since_epoch().count()) - worker.usage.executing_since_ns;
    worker.usage.executing_since_ns = 0;
    becomes(worker, then);
  }
  void dies(TaskId task) {
    dispatcher.detach(task, now);
    point();
  }
  // Lets time pass, with the requested scheduling points.
  void wait(Nanos span) {
    Time const end = now + span;
    while (last.next <= end) {
      REQUIRE(last.next > now);
      now = last.next;
      point();
    }
    now = end;
  }
  [[nodiscard]] Nanos used(DomainId domain) {
    dispatcher.bring_up_to_date(now);
    return dispatcher.usage_since_reset(domain).device_busy;
  }
  [[nodiscard]] std::vector<policies::Reason> ends() const {
    std::vector<policies::Reason> reasons;
    for (monitor::TraceEntry const& entry : dispatcher.trace().last(100))
      reasons.push_back(entry.ended);
    return reasons;
  }
};

// The policies that give the device to one domain at a time and keep accounts.
inline std::vector<std::string_view> exclusive_with_accounts() {
  std::vector<std::string_view> names;
  for (policies::Entry const& entry : policies::registry())
    if (entry.exclusive && entry.accounts) names.push_back(entry.name);
  return names;
}

} // namespace pegasus::scheduler::testing
