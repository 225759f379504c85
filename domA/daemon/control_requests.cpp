// SPDX-License-Identifier: Apache-2.0
// What an operator may ask and change: one function per request of ctl/control.proto.
#include "ctl/control.pb.h"
#include "domA/daemon/daemon.h"
#include "domA/device/software/software_device.h"
#include "domA/xen/attach.h"
#include "frontend/protocol/channel.h"
#include "monitor/shares.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <climits>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

constexpr std::uint32_t credits_max = 65535;

std::uint64_t as_ns(Nanos time) { return static_cast<std::uint64_t>(std::max(Nanos{0}, time).count()); }

void describe(policies::Entry const& entry, bool active, control::Policy& out) {
  out.set_name(std::string(entry.name));
  out.set_source(std::string(entry.source));
  out.set_summary(std::string(entry.summary));
  out.set_active(active);
}

std::string_view reason_name(policies::Reason reason) {
  using policies::Reason;
  switch (reason) {
  case Reason::unchanged:
    return "unchanged";
  case Reason::slice_end:
    return "slice end";
  case Reason::yield:
    return "yield";
  case Reason::departure:
    return "departure";
  case Reason::arrival:
    return "arrival";
  case Reason::idle:
    return "idle";
  }
  return "unknown";
}

void describe_task(Task const& task, bool gate_open, control::Task& out) {
  gate::UsagePage const& usage = task.worker.usage();
  out.set_id(task.id);
  out.set_pid(static_cast<std::uint32_t>(task.peer.pid));
  out.set_program(task.program);
  out.set_device_busy_ns(usage.device_busy_ns);
  out.set_calls(usage.calls);
  out.set_memory_bytes(usage.memory_bytes);
  out.set_gate_open(gate_open);
  out.set_worker_pid(static_cast<std::uint32_t>(task.worker.pid()));
}

void describe_service(monitor::Service const& service, control::Domain& out) {
  out.set_waited_ns(as_ns(service.waited));
  out.set_utilization(service.last_period);
  out.set_slo_periods(service.periods);
  out.set_slo_violations(service.violations);
}

void describe_cpus(monitor::Overlap const& overlap, monitor::WakeUps const& wake_ups, control::Domain& out) {
  out.set_overlap_samples(overlap.samples);
  out.set_overlap_samples_on_cpu(overlap.on_cpu);
  out.mutable_wake_ups()->set_ran_already(wake_ups.ran_already);
  out.mutable_wake_ups()->set_waited(wake_ups.waited);
  out.mutable_wake_ups()->set_woken(wake_ups.latency.count());
  out.mutable_wake_ups()->set_latency_p50_us(wake_ups.latency.p50_us());
  out.mutable_wake_ups()->set_latency_p99_us(wake_ups.latency.p99_us());
}

} // namespace

void Daemon::answer(control::Request const& request, control::Reply& reply) {
  using control::Request;
  switch (request.what_case()) {
  case Request::kVersion:
    reply.mutable_version()->set_version(PEGASUS_VERSION);
    reply.mutable_version()->set_protocol(PEGASUS_PROTOCOL_VERSION);
    reply.mutable_version()->set_pid(static_cast<std::uint32_t>(getpid()));
    break;
  case Request::kPolicies:
    describe_policies(reply);
    break;
  case Request::kPolicy:
    if (!request.policy().name().empty()) reply.set_error(switch_policy(request.policy().name()));
    if (reply.error().empty()) describe(scheduler_.policy(), true, *reply.mutable_policy());
    break;
  case Request::kDomains:
    describe_domains(reply);
    break;
  case Request::kSetDomain:
    reply.set_error(change_domain(request));
    reply.mutable_done();
    break;
  case Request::kAttach:
    if (!xen_)
      reply.set_error("this pegasusd serves no guests of Xen: it does not run on a Xen host, or was started "
                      "with --no-xen");
    else if (auto const attached = xen::attach(request.attach().guest(), request.attach().configuration());
             !attached)
      reply.set_error(attached.error());
    reply.mutable_done();
    break;
  case Request::kAccelerators:
    describe_accelerators(reply);
    break;
  case Request::kLog:
    describe_log(request.log().entries(), reply);
    break;
  case Request::kResetStatistics:
    scheduler_.reset_statistics();
    cpu_watch_.reset_statistics();
    reply.mutable_done();
    break;
  case Request::kShutdown:
    if (!options_.private_to_parent)
      reply.set_error(
          "only a private daemon is stopped this way; stop this one by a signal or its service manager");
    else
      boost::asio::post(io_, [this] { stop(); });
    reply.mutable_done();
    break;
  case Request::WHAT_NOT_SET:
    reply.set_error("this pegasusd does not know the request; is the control tool newer?");
    break;
  }
}

std::string Daemon::switch_policy(std::string const& name) {
  policies::Entry const* const entry = policies::find(name);
  if (entry != nullptr) {
    scheduler_.use(*entry);
    spdlog::info("policy {}", name);
    return {};
  }
  std::string valid;
  for (policies::Entry const& known : policies::registry())
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", known.name);
  return fmt::format("there is no policy \"{}\"; there are: {}", name, valid);
}

// Checks everything before it changes anything.
std::string Daemon::change_domain(control::Request const& request) {
  control::SetDomain const& wanted = request.set_domain();
  if (wanted.has_credits() && (wanted.credits() < 1 || wanted.credits() > credits_max))
    return fmt::format("credits={} is out of range: 1 to {}", wanted.credits(), credits_max);
  if (wanted.has_slo() && !(wanted.slo() >= 0 && wanted.slo() <= 1))
    return fmt::format("slo={} is out of range: 0 to 1", wanted.slo());
  if (wanted.has_memory_bytes() && wanted.memory_bytes() > chosen_.memory_bytes)
    return fmt::format("memory={} is more than the accelerator has: {} bytes", wanted.memory_bytes(),
                       chosen_.memory_bytes);
  auto const found = domains_.find(wanted.name());
  if (found == domains_.end() && !wanted.create()) {
    std::string valid;
    for (auto const& [name, domain] : domains_)
      valid += fmt::format("{}{}", valid.empty() ? "" : ", ", name);
    return fmt::format("there is no domain \"{}\"; {}", wanted.name(),
                       valid.empty() ? "there are none yet" : "there are: " + valid);
  }
  auto const domain = domain_named(wanted.name());
  if (!domain) return domain.error();
  Domain& changed = **domain;
  std::uint32_t const credits = wanted.has_credits() ? wanted.credits() : changed.credits;
  std::uint64_t const memory = wanted.has_memory_bytes() ? wanted.memory_bytes() : changed.memory_limit;
  double const slo = wanted.has_slo() ? wanted.slo() : changed.slo;
  // A guest's nodes are what counts: another change there must not undo this one.
  if (changed.guest && xen_ && !xen_->change({*changed.guest, credits, memory, slo}))
    return fmt::format("domain {} has no device any more, or its nodes in xenstore cannot be written",
                       wanted.name());
  if (wanted.has_credits() || wanted.has_slo() || wanted.has_memory_bytes()) changed.kept = true;
  changed.credits = credits;
  changed.memory_limit = memory;
  changed.slo = slo;
  apply(changed);
  return {};
}

void Daemon::describe_policies(control::Reply& reply) const {
  for (policies::Entry const& entry : policies::registry())
    describe(entry, entry.name == scheduler_.policy().name, *reply.mutable_policies()->add_policy());
}

void Daemon::describe_domains(control::Reply& reply) {
  control::Domains& out = *reply.mutable_domains();
  monitor::UsageMeter const& meter = scheduler_.meter();
  std::vector<monitor::Received> received;
  double credits_of_users = 0;
  Nanos busy{0};
  for (auto const& [name, domain] : domains_) {
    monitor::DomainUsage const usage = scheduler_.usage_since_reset(domain.id);
    busy += usage.device_busy;
    if (usage.tasks > 0) {
      credits_of_users += domain.credits;
      received.push_back({usage.device_busy, static_cast<double>(domain.credits)});
    }
    control::Domain& entry = *out.add_domain();
    entry.set_name(name);
    entry.set_id(domain.id);
    entry.set_credits(domain.credits);
    entry.set_slo(domain.slo);
    software::Quota const& quota = domain.page.as<worker::DomainPage>().memory;
    entry.set_memory_limit_bytes(quota.limit_bytes);
    entry.set_memory_used_bytes(quota.used_bytes());
    entry.set_device_busy_ns(as_ns(usage.device_busy));
    entry.set_calls(usage.calls);
    entry.set_sync_calls(usage.sync_calls);
    entry.set_sync_calls_per_s(usage.sync_call_rate);
    entry.set_latency_p50_us(meter.latency(domain.id).percentile_us(0.50));
    entry.set_latency_p99_us(meter.latency(domain.id).percentile_us(0.99));
    entry.set_running(scheduler_.running(domain.id));
    describe_service(scheduler_.service(domain.id), entry);
    describe_cpus(cpu_watch_.overlap(domain.id), cpu_watch_.wake_ups(domain.id), entry);
    for (auto const& [id, seat] : seats_)
      if (seat->task.domain == &domain)
        describe_task(seat->task, scheduler_.gate_open(id), *entry.add_task());
  }
  for (control::Domain& entry : *out.mutable_domain()) {
    bool const uses = entry.task_size() > 0 && credits_of_users > 0;
    entry.set_target_share(uses ? entry.credits() / credits_of_users : 0);
    entry.set_received_share(busy > Nanos{0} ? static_cast<double>(entry.device_busy_ns()) /
                                                   static_cast<double>(busy.count())
                                             : 0);
  }
  out.set_mmr(monitor::min_max_ratio(received));
  out.set_utilization(monitor::utilization(busy, scheduler_.since_reset()));
  out.set_elapsed_ns(as_ns(scheduler_.since_reset()));
  out.set_policy(std::string(scheduler_.policy().name));
}

void Daemon::describe_accelerators(control::Reply& reply) {
  control::Accelerator& out = *reply.mutable_accelerators()->add_accelerator();
  out.set_name(chosen_.profile.name);
  out.set_kind(chosen_.device.kind == worker::DeviceChoice::cuda ? "cuda" : "software");
  out.set_memory_bytes(chosen_.memory_bytes);
  out.set_memory_used_bytes(accelerator_.as<worker::AcceleratorPage>().memory.used_bytes());
  out.set_policy(std::string(scheduler_.policy().name));
  out.set_tasks(static_cast<std::uint32_t>(seats_.size()));
  out.set_schedule_source(std::string(cpu_watch_.source()));
  constexpr std::size_t major = 75, minor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
  out.set_compute_capability(
      static_cast<std::uint32_t>(10 * chosen_.profile.attribute[major] + chosen_.profile.attribute[minor]));
}

void Daemon::describe_log(std::uint32_t entries, control::Reply& reply) const {
  std::map<DomainId, std::string_view> names;
  for (auto const& [name, domain] : domains_)
    names.emplace(domain.id, name);
  reply.mutable_log();
  for (monitor::TraceEntry const& entry : scheduler_.trace().last(entries == 0 ? SIZE_MAX : entries)) {
    control::LogEntry& out = *reply.mutable_log()->add_entry();
    out.set_at_ns(as_ns(entry.at));
    out.set_policy(std::string(entry.policy));
    for (DomainId const id : entry.domains)
      if (auto const found = names.find(id); found != names.end()) out.add_domain(std::string(found->second));
    out.set_ran_ns(as_ns(entry.ran));
    out.set_device_busy_ns(as_ns(entry.device_busy));
    out.set_ended(std::string(reason_name(entry.ended)));
  }
}

} // namespace pegasus::daemon
