// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/testing/crowd.h"

#include "policies/accc.h"
#include "policies/registry.h"

#include <algorithm>
#include <ostream>

namespace pegasus::scheduler::testing {

using namespace std::chrono_literals;

std::ostream& operator<<(std::ostream& out, Step const& step) {
  constexpr char const* names[] = {"launch", "attach", "die", "use", "change", "wait"};
  return out << names[step.kind] << ' ' << step.which << ' ' << step.time.count() << "ns; ";
}

Crowd::Crowd(policies::Entry const& policy, VirtualDevice::Busy busy)
    : device_({.policy = &policy, .tunables = {.tick = tick}, .runaway = runaway}, busy), policy_(&policy) {
  for (DomainId id = 1; id <= domains; ++id)
    device_.set_domain(id, {});
  for (DomainId id = 1; id <= domains; ++id)
    for (std::size_t i = 0; i < (is_honest(id) ? honest_tasks : 1); ++i)
      device_.attach(id);
}

char const* Crowd::take(Step const& step) {
  std::vector<TaskId> const tasks = device_.tasks();
  TaskId const task = tasks[step.which % tasks.size()];
  DomainId const domain = 1 + step.which % domains;
  bool const of_honest = is_honest(device_.domain_of(task));
  switch (step.kind) {
  case Step::launch:
    if (device_.calls(task) < 20)
      device_.launch(task, of_honest ? std::min(step.time, Nanos{1ms}) : step.time);
    break;
  case Step::attach:
    if (!is_honest(domain) && tasks.size() < 12) device_.attach(domain);
    break;
  case Step::die:
    if (!of_honest) device_.die(task);
    break;
  case Step::use:
    policy_ = &policies::registry()[step.which % policies::registry().size()];
    device_.use({policy_, {.tick = tick}});
    switched_ = device_.now();
    break;
  case Step::change:
    device_.set_domain(domain, {.credits = 64 + step.which % 1024,
                                .latency_slice = step.which % 2 == 0 ? step.time : Nanos{0}});
    break;
  default:
    return wait(step.time);
  }
  return broken();
}

// Waits in short steps to miss nothing in between.
char const* Crowd::wait(Nanos time) {
  for (Time const end = device_.now() + time; device_.now() < end;) {
    device_.run(std::min<Nanos>(end - device_.now(), 2ms));
    if (char const* const what = broken()) return what;
  }
  return nullptr;
}

char const* Crowd::broken() {
  device_.dispatcher().bring_up_to_date(device_.now());
  for (DomainId id = 1; id <= domains; ++id)
    if (device_.dispatcher().usage_since_reset(id).device_busy != device_.executed(id))
      return "each domain is charged what the device did for it, no more and no less";
  if (policy_->exclusive && open_gates() > 1) return "one task at a time";
  if (char const* const what = blamed()) return what;
  // A scheduling point is not closer to the last than 50 us.
  Nanos const patience = policy_->work_conserving ? 100us : tick;
  for (Time const end = device_.now() + patience; keeps_none_waiting() && idle_in_vain(); device_.run(100us))
    if (device_.now() >= end) return "no domain waits for a dead task, or for none";
  for (DomainId id = 1; id <= honest; ++id)
    if (starved(id)) return "no domain is starved";
  return nullptr;
}

char const* Crowd::blamed() {
  for (DomainId id = 1; id <= honest; ++id) {
    if (device_.dispatcher().conduct(id).killed > 0)
      return "only a domain that kept others waiting is killed";
    if (device_.dispatcher().conduct(id).barred_until > Time{})
      return "only a domain that kept others waiting backs off";
  }
  return nullptr;
}

std::ptrdiff_t Crowd::open_gates() {
  return std::ranges::count_if(device_.tasks(),
                               [this](TaskId task) { return device_.dispatcher().gate_open(task); });
}

// One that keeps no accounts and is not work conserving may let a domain without calls have the device.
bool Crowd::keeps_none_waiting() const { return policy_->work_conserving || policy_->accounts; }

bool Crowd::idle_in_vain() {
  if (!device_.engine_free()) return false;
  return std::ranges::any_of(device_.tasks(), [this](TaskId task) {
    bool const barred = device_.dispatcher().conduct(device_.domain_of(task)).barred_until > device_.now() &&
                        (policy_->exclusive || policy_->accounts);
    return device_.calls(task) > 0 && !barred;
  });
}

// True if the domain has calls and was not served for the time slices of all others and a runaway of each.
bool Crowd::starved(DomainId domain) {
  bool waits = false;
  for (TaskId const task : device_.tasks())
    waits = waits || (device_.domain_of(task) == domain && device_.calls(task) > 0);
  Served& served = served_[domain];
  if (!waits || device_.executed(domain) > served.time) served = {device_.executed(domain), device_.now()};
  if (!policy_->exclusive || !policy_->accounts || !policy_->wait_ticks) served.at = device_.now();
  Nanos const slices = (policies::max_slice_ticks + policy_->wait_ticks.value_or(0)) * tick;
  return device_.now() - std::max(served.at, switched_) > domains * (slices + 3 * runaway);
}

} // namespace pegasus::scheduler::testing
