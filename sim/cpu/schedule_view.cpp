// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/schedule_view.h"

namespace pegasus::sim {
namespace {

constexpr Nanos shortest_pause{std::chrono::microseconds(100)};
constexpr Nanos hypercall_pause{std::chrono::milliseconds(1)}; // as domA/scheduler/loop/xen/stock_states.cpp

policies::CpuState state_of(VcpuState const& vcpu, std::uint32_t weight) {
  policies::CpuState state{.running = vcpu.running, .credit_left = vcpu.credit_left, .weight = weight};
  if (vcpu.running) state.running_since.emplace(vcpu.running_since);
  if (!vcpu.runnable) state.blocked_since.emplace(vcpu.blocked_since);
  return state;
}

} // namespace

ScheduleView::ScheduleView(Clock& clock, CpuScheduler const& cpus, ScheduleSettings const& settings)
    : clock_(clock), cpus_(cpus), settings_(settings),
      pause_(settings.age > Nanos{0} && settings.period == Nanos{0} ? shortest_pause : settings.period),
      sampling_(clock, [this] { sample(); }) {
  if (pause_ > Nanos{0}) sampling_.after(Nanos{0});
}

void ScheduleView::add(std::uint32_t weight, std::vector<CpuScheduler::VcpuId> const& vcpus) {
  guests_.push_back({.weight = weight, .first = vcpus_.size(), .count = vcpus.size()});
  vcpus_.insert(vcpus_.end(), vcpus.begin(), vcpus.end());
  asked_.resize(vcpus_.size());
}

policies::CpuState ScheduleView::read(scheduler::Caller const& caller, Time now) {
  if (settings_.source == ScheduleSource::none) return {};
  Guest& guest = guests_[static_cast<std::size_t>(caller.domain) - 1];
  if (caller.vcpu < guest.count) {
    std::size_t const vcpu = guest.first + caller.vcpu;
    if (settings_.source == ScheduleSource::hypercalls) {
      ask(guest, now);
      return {
          .running = asked_[vcpu].running, .credit_left = asked_[vcpu].credit.left(), .weight = guest.weight};
    }
    if (settings_.source == ScheduleSource::traces) {
      policies::CpuState state = state_of(cpus_.state(vcpus_[vcpu]), guest.weight);
      state.credit_left = estimate(vcpu, now);
      return state;
    }
    if (pause_ == Nanos{0}) return state_of(cpus_.state(vcpus_[vcpu]), guest.weight);
    if (Sample const* const sample = seen()) return state_of(sample->states[vcpu], guest.weight);
  }
  return {.weight = guest.weight};
}

void ScheduleView::sample() {
  Sample& sample = samples_.emplace_back(Sample{.at = clock_.now(), .states = {}});
  for (CpuScheduler::VcpuId const vcpu : vcpus_)
    sample.states.push_back(cpus_.state(vcpu));
  sampling_.after(pause_);
  (void)seen(); // a policy may never look
}

// nullptr: no sample is old enough yet.
ScheduleView::Sample const* ScheduleView::seen() {
  Time const latest = clock_.now() - settings_.age;
  while (samples_.size() > 1 && samples_[1].at <= latest)
    samples_.pop_front();
  return !samples_.empty() && samples_.front().at <= latest ? &samples_.front() : nullptr;
}

void ScheduleView::ask(Guest& guest, Time now) {
  if (now < guest.asked_until) return;
  guest.asked_until = now + hypercall_pause;
  for (std::size_t vcpu = guest.first; vcpu < guest.first + guest.count; ++vcpu) {
    Asked& asked = asked_[vcpu];
    asked.running = cpus_.state(vcpus_[vcpu]).running;
    (void)estimate(vcpu, now);
  }
}

Nanos ScheduleView::estimate(std::size_t vcpu, Time now) {
  monitor::CreditWindow& credit = asked_[vcpu].credit;
  if (credit.due(now)) credit.learn(cpus_.cpu_time(vcpus_[vcpu]), now);
  return credit.left();
}

} // namespace pegasus::sim
