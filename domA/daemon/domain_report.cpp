// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/domain_report.h"

#include "control/figure_values.h"

#include <algorithm>

namespace pegasus::daemon {
namespace {

using control::as_ns;

// A guest may make its latencies up: their sum can be anything that is not negative.
std::uint64_t whole_ns(double ns) {
  static constexpr double most = 9e18; // within a u64
  return static_cast<std::uint64_t>(std::min(ns, most));
}

void describe_task(Task const& task, bool gate_open, control::Task& out) {
  gate::UsagePage const& usage = task.worker.usage();
  out.set_id(task.id);
  out.set_pid(static_cast<std::uint32_t>(task.peer.pid));
  out.set_program(task.program);
  control::set_figures(out, control::TaskFigures{.device_busy_ns = usage.device_busy_ns,
                                                 .calls = usage.calls,
                                                 .memory_bytes = usage.memory_bytes,
                                                 .gate_open = gate_open});
  out.set_worker_pid(static_cast<std::uint32_t>(task.worker.pid()));
}

void describe_service(monitor::Service const& service, control::DomainFigures& out) {
  out.wanted_ns = as_ns(service.wanted);
  out.waited_ns = as_ns(service.waited);
  out.average_wait_ns = as_ns(service.average_wait);
  out.utilization = service.last_period;
  out.slo_periods = service.periods;
  out.slo_violations = service.violations;
}

void describe_cpus(monitor::Overlap const& overlap, monitor::WakeUps const& wake_ups,
                   control::DomainFigures& out) {
  out.samples_on_device = overlap.samples;
  out.samples_on_both = overlap.on_cpu;
  out.wake_ups_ran_already = wake_ups.ran_already;
  out.wake_ups_waited = wake_ups.waited;
  out.wake_ups_woken = wake_ups.latency.count();
  out.wake_ups_p50_us = wake_ups.latency.p50_us();
  out.wake_ups_p99_us = wake_ups.latency.p99_us();
}

} // namespace

void DomainReport::placement(Domain const& domain, control::Domain& out) const {
  if (domain.accelerator != nullptr) {
    out.set_accelerator(domain.accelerator->index());
    out.set_placement(domain.placement);
  }
  auto const waits_since = domains_.waiting().since(domain.id);
  auto const since = waits_since ? waits_since : domain.refused_at;
  if (!since) return;
  out.set_waiting(waits_since.has_value());
  out.set_not_admitted(domain.not_admitted);
  out.set_not_admitted_ns(as_ns(accelerators_.now() - *since));
}

void DomainReport::settings(Domain const& domain, control::DomainFigures& out) const {
  out.kept = domain.kept || domain.guest;
  out.frozen = domain.frozen;
  out.credits = domain.settings.credits;
  out.slo = domain.settings.slo;
  out.cap = domain.settings.cap;
  out.latency_slice_ns = as_ns(domain.settings.latency_slice);
  out.memory_limit_bytes = domain.memory.bytes;
  out.memory_limited = domain.settings.memory > 0;
  out.memory_used_bytes = used_memory(domain);
  if (!domains_.control_groups().has(Controller::memory)) return;
  out.host_memory_bytes = domain.control_group.used_bytes();
  out.host_memory_limit_bytes = domains_.host_memory(domain);
}

// A domain that has moved has totals on each of its accelerators; the other values are from its current one.
void DomainReport::use(Domain const& domain, control::DomainFigures& out) const {
  for (auto const& accelerator : accelerators_) {
    monitor::DomainUsage const usage = accelerator->seen().usage_since_reset(domain.id);
    out.device_busy_ns += as_ns(usage.device_busy);
    out.host_busy_ns += as_ns(usage.host_busy);
    out.copied_bytes += usage.bytes;
    out.calls += usage.calls;
    out.sync_calls += usage.sync_calls;
  }
  describe_cpus(accelerators_.cpu_watch().overlap(domain.id), accelerators_.cpu_watch().wake_ups(domain.id),
                out);
  schedule(domain, out);
  if (domain.accelerator == nullptr) return;
  scheduler::Dispatcher const& seen = domain.accelerator->seen();
  monitor::DomainUsage const usage = seen.usage_since_reset(domain.id);
  out.sync_calls_per_s = usage.sync_call_rate;
  out.requests_waiting = usage.requests_waiting;
  out.latency_p50_us = seen.latency(domain.id).percentile_us(0.50);
  out.latency_p99_us = seen.latency(domain.id).percentile_us(0.99);
  out.sync_calls_ns = whole_ns(seen.latency(domain.id).total_ns());
  out.running = seen.running(domain.id);
  describe_service(seen.service(domain.id), out);
  scheduler::Conduct const conduct = seen.conduct(domain.id);
  out.debt_ns = as_ns(conduct.debt);
  out.killed_tasks = conduct.killed;
  out.capped = conduct.capped;
  out.barred_ns = as_ns(conduct.barred_until - accelerators_.now());
  out.estimated = domain.accelerator->kind().alternates && !seen.policy().exclusive;
}

void DomainReport::schedule(Domain const& domain, control::DomainFigures& out) const {
  out.vcpu = domain.accelerator == nullptr ? 0 : domain.accelerator->seen().calling_vcpu(domain.id);
  policies::CpuState const cpu =
      accelerators_.cpu_watch().read({domain.id, static_cast<std::uint32_t>(out.vcpu)}, accelerators_.now());
  out.vcpu_running = cpu.running;
  out.cpu_credit_left_ns = as_ns(cpu.credit_left);
  out.cpu_weight = cpu.weight;
}

void DomainReport::tasks(Domain const& domain, control::Domain& out) const {
  if (domain.accelerator == nullptr) return;
  scheduler::Dispatcher const& seen = domain.accelerator->seen();
  sessions_.for_each_of(
      domain, [&](Task const& task) { describe_task(task, seen.gate_open(task.id), *out.add_task()); });
}

} // namespace pegasus::daemon
