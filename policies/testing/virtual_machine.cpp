// SPDX-License-Identifier: Apache-2.0
#include "policies/testing/virtual_machine.h"

#include "policies/fairness.h"

#include <algorithm>
#include <stdexcept>

namespace pegasus::policies::testing {

namespace {

double seconds(Nanos time) { return std::chrono::duration<double>(time).count(); }

} // namespace

VirtualMachine::VirtualMachine(Policy& policy, std::vector<Guest> const& guests, Options options)
    : policy_(policy), options_(options) {
  for (Guest const& guest : guests)
    slots_.emplace_back().guest = guest;
  std::ranges::sort(slots_, {}, [](Slot const& slot) { return slot.guest.id; });
}

void VirtualMachine::run(Nanos span) {
  Time const end = now_ + span;
  for (;;) {
    bool const finished = finish_kernel();
    bool const changed = update_calls();
    // The daemon asks only when a change has been carried out.
    bool const drained = finished && !may_run(*on_device_);
    if (finished) on_device_.reset();
    if (drained) run_since_ = now_;
    bool const draining = on_device_ && !may_run(*on_device_);
    bool const asked = changed || drained || now_ >= decision_.until || now_ >= decision_.ask_again;
    if (!decided_ || (asked && !draining)) decide();
    if (!on_device_) start_kernel();
    if (now_ >= end) return;
    now_ = next_event(end);
  }
}

bool VirtualMachine::may_run(std::size_t slot) const {
  return std::ranges::binary_search(decision_.run, slots_[slot].guest.id);
}

Time VirtualMachine::next_event(Time end) const {
  Time next = end;
  if (!on_device_ || may_run(*on_device_)) next = std::min({end, decision_.until, decision_.ask_again});
  if (on_device_) next = std::min(next, kernel_ends_);
  for (Slot const& slot : slots_) {
    if (!slot.active || slot.called) continue;
    if (slot.call_at > now_) next = std::min(next, slot.call_at);
    if (slot.waiting && slot.quiet_at > now_) next = std::min(next, slot.quiet_at);
  }
  return next;
}

bool VirtualMachine::finish_kernel() {
  if (!on_device_ || kernel_ends_ > now_) return false;
  Slot& slot = slots_[*on_device_];
  slot.done += kernel_ends_ - kernel_started_;
  slot.served_at = now_;
  slot.call_at = now_ + slot.guest.demand.think;
  slot.quiet_at = now_ + options_.spin;
  return true;
}

// Updates the calls of each domain. Returns true if one began or ceased to wait.
bool VirtualMachine::update_calls() {
  bool changed = false;
  for (Slot& slot : slots_) {
    bool const executing = on_device_ && &slot == &slots_[*on_device_] && kernel_ends_ > now_;
    if (slot.active && !slot.called && !executing && slot.call_at <= now_) {
      slot.called = true;
      slot.queued_at = now_;
    }
    if (!slot.active) slot.called = false;
    bool const waiting = slot.called || executing || (slot.active && slot.quiet_at > now_);
    if (waiting != slot.waiting) {
      changed = true;
      slot.changed_at = now_;
    }
    slot.waiting = waiting;
  }
  return changed;
}

void VirtualMachine::decide() {
  std::vector<DomainView> domains;
  for (Slot const& slot : slots_) {
    DomainView& view = domains.emplace_back();
    view.id = slot.guest.id;
    view.credits = slot.guest.credits;
    view.slo = slot.guest.slo;
    view.latency_slice = slot.guest.latency_slice;
    view.tasks = 1;
    view.calls_waiting = slot.waiting ? 1 : 0;
    view.calls_since = slot.changed_at;
    view.on_device = on_device_ && &slot == &slots_[*on_device_] ? 1 : 0;
    view.context_established = true;
    view.device_busy_total = total(slot, true);
    if (options_.cpu_schedule) options_.cpu_schedule(now_, view);
  }
  std::vector<DomainId> const before = decision_.run;
  decision_ = policy_.decide({now_, run_since_, domains, changes_.take(domains)});
  decided_ = true;
  if (decision_.run != before) {
    ++switches_;
    if (!on_device_ || may_run(*on_device_)) run_since_ = now_;
  }
  if (decision_.until <= now_ || decision_.ask_again <= now_)
    throw std::logic_error("a decision without duration");
}

// Among the open gates the device serves the domain that was served longest ago, one kernel at a time.
void VirtualMachine::start_kernel() {
  Slot* next = nullptr;
  for (DomainId const id : decision_.run) {
    Slot& candidate = slots_[index(id)];
    if (!candidate.called) continue;
    if (next == nullptr || candidate.served_at < next->served_at) next = &candidate;
  }
  if (next == nullptr) return;
  next->called = false;
  next->longest_wait = std::max(next->longest_wait, now_ - next->queued_at);
  on_device_ = static_cast<std::size_t>(next - slots_.data());
  kernel_started_ = now_;
  kernel_ends_ = now_ + next->guest.demand.kernel;
}

void VirtualMachine::mark() {
  marked_at_ = now_;
  switches_ = 0;
  for (Slot& slot : slots_) {
    slot.marked = total(slot, false);
    slot.longest_wait = Nanos{0};
  }
}

void VirtualMachine::set_active(DomainId id, bool active) {
  Slot& changed = slots_[index(id)];
  changed.active = active;
  changed.call_at = now_;
}

void VirtualMachine::set_demand(DomainId id, Demand demand) { slots_[index(id)].guest.demand = demand; }

void VirtualMachine::set_credits(DomainId id, std::uint32_t credits) {
  slots_[index(id)].guest.credits = credits;
}

std::size_t VirtualMachine::index(DomainId id) const {
  auto const found = std::ranges::find(slots_, id, [](Slot const& candidate) { return candidate.guest.id; });
  if (found == slots_.end()) throw std::logic_error("no such guest");
  return static_cast<std::size_t>(found - slots_.begin());
}

Nanos VirtualMachine::total(Slot const& slot, bool as_seen) const {
  bool const executing = on_device_ && &slot == &slots_[*on_device_];
  if (!executing || (as_seen && options_.late_totals)) return slot.done;
  return slot.done + (now_ - kernel_started_);
}

Nanos VirtualMachine::received(DomainId id) const { return total(slot(id), false) - slot(id).marked; }

double VirtualMachine::share(DomainId id) const {
  Nanos all{0};
  for (Slot const& each : slots_)
    all += total(each, false) - each.marked;
  return all > Nanos{0} ? seconds(received(id)) / seconds(all) : 0;
}

double VirtualMachine::busy() const {
  Nanos all{0};
  for (Slot const& each : slots_)
    all += total(each, false) - each.marked;
  return now_ > marked_at_ ? seconds(all) / seconds(now_ - marked_at_) : 0;
}

double VirtualMachine::fairness(bool by_credits) const {
  std::vector<double> received_time;
  std::vector<double> entitled;
  for (Slot const& each : slots_) {
    received_time.push_back(seconds(total(each, false) - each.marked));
    entitled.push_back(by_credits ? each.guest.credits : 1);
  }
  return min_max_ratio(received_time, entitled);
}

double VirtualMachine::fairness_by_credits() const { return fairness(true); }
double VirtualMachine::fairness_of_equals() const { return fairness(false); }
Nanos VirtualMachine::longest_wait(DomainId id) const { return slot(id).longest_wait; }

} // namespace pegasus::policies::testing
