// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/cpu_schedule_sampler.h"

#include <algorithm>
#include <spdlog/spdlog.h>

namespace pegasus::scheduler {

using boost::system::error_code;

CpuScheduleSampler::CpuScheduleSampler(boost::asio::io_context& io, Setup setup)
    : sampling_(io), later_(io), setup_(std::move(setup)) {}

void CpuScheduleSampler::use(std::unique_ptr<xen::Schedule> schedule) {
  guests_ = std::move(schedule);
  if (guests_) spdlog::info("CPU schedule: {}", guests_->source());
}

void CpuScheduleSampler::set_guest(DomainId domain, std::uint32_t guest) {
  auto& known = domains_[domain].guest;
  if (known && *known != guest) forget_guest(*known); // it has rebooted
  known = guest;
}

void CpuScheduleSampler::attach(DomainId domain, pid_t process) {
  domains_[domain].processes.push_back(process);
}

void CpuScheduleSampler::detach(DomainId domain, pid_t process) {
  auto& processes = domains_[domain].processes;
  if (auto const found = std::ranges::find(processes, process); found != processes.end())
    processes.erase(found);
  processes_.forget(process);
}

void CpuScheduleSampler::work(bool there_is) {
  working_ += there_is ? 1 : -1u;
  if (working_ > 0 && !sampling_soon_) sample_later();
}

void CpuScheduleSampler::forget(DomainId domain) {
  auto const found = domains_.find(domain);
  if (found == domains_.end()) return;
  if (found->second.guest) forget_guest(*found->second.guest);
  domains_.erase(found);
  overlap_.forget(domain);
  wake_ups_.forget(domain);
}

void CpuScheduleSampler::forget_guest(std::uint32_t guest) {
  if (guests_) guests_->forget(guest);
  boosts_.forget(guest);
}

policies::CpuState CpuScheduleSampler::read(Caller const& caller, Time now) {
  auto const found = domains_.find(caller.domain);
  if (found == domains_.end()) return {};
  if (found->second.guest) // without guests_ its processes are not on this machine
    return guests_ ? guests_->read(*found->second.guest, caller.vcpu, now) : policies::CpuState{};
  policies::CpuState state;
  for (pid_t const process : found->second.processes) {
    if (process <= 0) continue;
    state.running = state.running || ProcessSchedule::running(process);
    state.credit_left = std::max(state.credit_left, processes_.credit_left(process, now));
  }
  return state;
}

void CpuScheduleSampler::sample_later() {
  sampling_soon_ = true;
  random_ = random_ * 1664525 + 1013904223; // any generator would do
  auto const span = static_cast<std::uint32_t>((max_pause - min_pause).count());
  sampling_.expires_after(min_pause + std::chrono::microseconds((random_ >> 8) % span));
  sampling_.async_wait([this](error_code error) {
    if (!error) sample();
  });
}

void CpuScheduleSampler::sample() {
  sampling_soon_ = false;
  if (working_ > 0) sample_later(); // first: a failure does not end it
  for (Caller const& caller : setup_.on_device())
    overlap_.sample(caller.domain, read(caller, setup_.now()).running);
}

// The worker rings the guest when it finds the gate open. That wakes a blocked vCPU, and Xen runs it first. A
// vCPU that waits behind others needs a boost.
void CpuScheduleSampler::gate_opened(Caller const& caller) {
  auto const [domain, vcpu] = caller;
  auto const found = domains_.find(domain);
  if (!guests_ || found == domains_.end() || !found->second.guest) return;
  Time const now = setup_.now();
  auto const before = guests_->vcpu(*found->second.guest, vcpu, now);
  if (!before) return;
  wake_ups_.opened(domain, now, *before);
  if (before->state == monitor::VcpuState::runnable) boost(*found->second.guest, vcpu, now);
  if (before->state != monitor::VcpuState::running) sample_later(caller, now, 0);
}

void CpuScheduleSampler::boost(std::uint32_t guest, std::uint32_t vcpu, Time now) {
  if (!boosts_.take(guest, vcpu, now)) return;
  if (guests_->boost(guest, vcpu, now) != xen::Boost::unsupported || told_no_boost_) return;
  told_no_boost_ = true;
  spdlog::warn(
      "CPU schedule: a vCPU that waits for its pCPU when its domain's time slice begins waits on: only "
      "Xen's credit scheduler lets it go first, at the word of Dom0 (seen with domain {})",
      guest);
}

// Watches one domain at a time: the last one that was woken.
void CpuScheduleSampler::sample_later(Caller const& caller, Time opened, std::size_t number) {
  later_.expires_after(std::max(Nanos{0}, opened + later_samples[number] - setup_.now()));
  later_.async_wait([=, this](error_code error) {
    auto const found = domains_.find(caller.domain);
    if (error || found == domains_.end() || !found->second.guest) return;
    auto const after = guests_->vcpu(*found->second.guest, caller.vcpu, setup_.now());
    if (after && !wake_ups_.sample(caller.domain, *after) && number + 1 < later_samples.size())
      sample_later(caller, opened, number + 1);
  });
}

void CpuScheduleSampler::reset_statistics() {
  overlap_.reset();
  wake_ups_.reset();
}

std::string CpuScheduleSampler::source() const {
  return guests_ ? guests_->source() : "local domains: the operating system's accounting";
}

} // namespace pegasus::scheduler
