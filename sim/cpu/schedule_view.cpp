// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu/schedule_view.h"

namespace pegasus::sim {
namespace {

constexpr Nanos shortest_pause{std::chrono::microseconds(100)};
constexpr Nanos hypercall_pause{std::chrono::milliseconds(1)}; // vcpu_review of domA/scheduler/xen

// In place: an optional that is made elsewhere and copied from there costs as much as the sample.
void set(std::optional<Time>& time, bool known, Time value) {
  if (known)
    time.emplace(value);
  else
    time.reset();
}

void show(policies::DomainView& view, VcpuState const& state) {
  view.running_on_cpu = state.running;
  view.cpu_credit_left = state.credit_left;
  set(view.on_cpu_since, state.running, state.running_since);
  set(view.blocked_since, !state.runnable, state.blocked_since);
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

void ScheduleView::fill(policies::DomainView& view, Time now) {
  if (settings_.source == ScheduleSource::none) return;
  Guest& guest = guests_[static_cast<std::size_t>(view.id) - 1];
  view.cpu_weight = guest.weight;
  if (view.calling_vcpu >= guest.count) return;
  std::size_t const vcpu = guest.first + view.calling_vcpu;
  if (settings_.source == ScheduleSource::hypercalls) {
    ask(guest, now);
    view.running_on_cpu = asked_[vcpu].running;
    view.cpu_credit_left = asked_[vcpu].credit.left();
  } else if (pause_ == Nanos{0}) {
    show(view, cpus_.state(vcpus_[vcpu]));
  } else if (Sample const* const sample = seen()) {
    show(view, sample->states[vcpu]);
  }
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
    if (asked.credit.due(now)) asked.credit.learn(cpus_.cpu_time(vcpus_[vcpu]), now);
  }
}

} // namespace pegasus::sim
