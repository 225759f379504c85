// SPDX-License-Identifier: Apache-2.0
#include "domA/scheduler/loop/xen/stock_states.h"

#include <utility>

namespace pegasus::xen {

namespace {

using Drained = monitor::StateChanges::Drained;

// Between two questions where no changes are told: each vCPU costs a microsecond or two.
constexpr Nanos pause_between_questions{std::chrono::milliseconds(1)};
// Within this time it is noticed that somebody else has begun to use the trace buffers, or has left them.
constexpr Nanos review_interval{std::chrono::seconds(1)};

monitor::VcpuState state_of(xen_domctl_getvcpuinfo const& info) {
  if (info.online == 0) return monitor::VcpuState::offline;
  if (info.running != 0) return monitor::VcpuState::running;
  return info.blocked != 0 ? monitor::VcpuState::blocked : monitor::VcpuState::runnable;
}

Domctl question(std::uint32_t domain, std::uint32_t command) {
  Domctl asked{};
  asked.call.cmd = command;
  asked.call.domain = static_cast<domid_t>(domain);
  return asked;
}

} // namespace

StockStates::StockStates(Hypercalls& calls, xenforeignmemory_handle* memory, Clock clock)
    : calls_(calls), clock_(std::move(clock)), traces_(TraceBuffers::open(calls, memory)) {}

StockStates::~StockStates() {
  if (tracing_) traces_->stop();
}

std::string StockStates::name() const {
  if (!traces_) return "hypercalls: this Xen has no trace buffers for this domain";
  if (!traces_complete_) return "hypercalls: a pCPU is younger than Xen's trace buffers";
  return tracing_ || domains_.empty() ? "Xen's trace buffers"
                                      : "hypercalls: somebody else reads Xen's trace buffers";
}

std::optional<monitor::VcpuSchedule> StockStates::vcpu(std::uint32_t domain, std::uint32_t id, Time now) {
  if (!domains_.contains(domain)) watch(domain);
  if (now != known_at_) bring_up_to_date(now);
  auto const found = domains_.find(domain);
  if (found == domains_.end()) return std::nullopt;
  found->second.estimate(id, now);
  return found->second.reader().vcpu(id);
}

void StockStates::watch(std::uint32_t domain) {
  Domctl asked = question(domain, XEN_DOMCTL_getdomaininfo);
  bool const told = calls_.domctls({&asked, 1}) && asked.answer == 0;
  std::uint32_t const last = asked.call.u.getdomaininfo.max_vcpu_id;
  if (told && domains_.empty()) review_at_ = Time::min(); // the last look is long ago
  if (tracing_) apply_changes();
  domains_.try_emplace(domain, domain, told && last < max_vcpus ? last + 1 : 0);
  ask();
}

void StockStates::forget(std::uint32_t domain) {
  domains_.erase(domain);
  if (!domains_.empty() || !tracing_) return;
  traces_->stop();
  tracing_ = false;
}

void StockStates::bring_up_to_date(Time now) {
  known_at_ = now;
  if (domains_.empty()) return;
  if (tracing_) apply_changes();
  if (now >= review_at_) {
    review_at_ = now + review_interval;
    std::erase_if(domains_, [](auto const& entry) { return entry.second.reader().vcpus() == 0; });
    review_tracing();
    ask(); // also for what the changes should have told: whoever has stopped the tracing, it is not for long
  } else if (!tracing_ && now >= ask_at_) {
    ask();
  }
}

void StockStates::apply_changes() {
  auto const [drained, changes] = traces_->drain();
  if (!changes.empty()) {
    Time const now = clock_();
    std::uint64_t const counter = TraceBuffers::counter();
    for (monitor::StateChange const& change : changes)
      if (auto const found = domains_.find(change.domain); found != domains_.end())
        found->second.change(change.vcpu, change.state, change.cpu,
                             traces_->time_of(change.tsc, counter, now));
  }
  if (drained == Drained::all) return;
  if (drained == Drained::taken) tracing_ = false; // and it is the other who ends the tracing
  ask();
}

void StockStates::review_tracing() {
  if (!traces_) return;
  if (!traces_complete_) {
    if (std::exchange(tracing_, false)) traces_->stop();
    return;
  }
  if (!tracing_) {
    if (traces_->in_use()) return;
    traces_->take();
  }
  tracing_ = traces_->start();
}

void StockStates::ask() {
  questions_.clear();
  for (auto const& [domain, writer] : domains_)
    for (std::uint32_t id = 0; id < writer.reader().vcpus(); ++id) {
      questions_.push_back(question(domain, XEN_DOMCTL_getvcpuinfo));
      questions_.back().call.u.getvcpuinfo.vcpu = id;
    }
  Time const now = clock_(); // a change after this moment may be in the answer, and will be told again
  ask_at_ = now + pause_between_questions;
  if (!calls_.domctls(questions_)) return;
  for (Domctl const& asked : questions_) {
    if (asked.answer != 0) continue;
    xen_domctl_getvcpuinfo const& info = asked.call.u.getvcpuinfo;
    traces_complete_ = traces_complete_ && traces_ && traces_->has(info.cpu);
    domains_.at(asked.call.domain)
        .learn(info.vcpu, state_of(info), info.cpu, Nanos(static_cast<std::int64_t>(info.cpu_time)), now);
  }
}

} // namespace pegasus::xen
