// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/status_report.h"

#include "control/figure_values.h"
#include "domA/device/attributes.h"
#include "frontend/protocol/channel.h"
#include "monitor/shares.h"

#include <algorithm>
#include <map>
#include <span>
#include <unistd.h>

namespace pegasus::daemon {
namespace {

using control::as_ns;

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
  case Reason::drain:
    return "drain";
  case Reason::sample:
    return "sample";
  case Reason::share:
    return "share";
  case Reason::reservation:
    return "reservation";
  case Reason::idle:
    return "idle";
  }
  return "unknown";
}

} // namespace

void StatusReport::describe(policies::Entry const& entry, control::Policy& out) const {
  out.set_name(std::string(entry.name));
  out.set_source(std::string(entry.source));
  out.set_summary(std::string(entry.summary));
  out.set_exclusive(entry.exclusive);
  out.set_active(entry.name == accelerators_.policy().policy->name);
  policies::Tunables const& now = out.active() ? accelerators_.policy().tunables : options_.usual;
  for (policies::Tunable const& tunable : entry.tunables) {
    control::Tunable& described = *out.add_tunable();
    described.set_name(std::string(tunable.name));
    described.set_value(tunable.value(now));
    described.set_usual(tunable.value(options_.usual));
    described.set_range(tunable.range());
    described.set_summary(std::string(tunable.summary));
  }
}

void StatusReport::version(std::string const& workers_lack, control::Reply& reply) const {
  control::Version& out = *reply.mutable_version();
  out.set_version(PEGASUS_VERSION);
  out.set_protocol(PEGASUS_PROTOCOL_VERSION);
  out.set_pid(static_cast<std::uint32_t>(getpid()));
  out.set_workers_lack(workers_lack);
  out.set_domains_by(std::string(text_of(options_.domains)));
}

void StatusReport::policy(control::Reply& reply) const {
  describe(*accelerators_.policy().policy, *reply.mutable_policy());
}

void StatusReport::policies(control::Reply& reply) const {
  for (policies::Entry const& entry : policies::registry())
    describe(entry, *reply.mutable_policies()->add_policy());
}

// Shares are shares of one accelerator, among the domains on it.
StatusReport::Fairness StatusReport::fairness(Accelerator const& accelerator) const {
  Fairness result;
  std::vector<monitor::Received> received;
  for (auto const& [name, domain] : domains_) {
    monitor::DomainUsage const usage = accelerator.seen().usage_since_reset(domain.id);
    result.busy += usage.device_busy;
    if (usage.tasks == 0) continue;
    result.credits += domain.settings.credits;
    received.push_back({usage.device_busy, static_cast<double>(domain.settings.credits)});
  }
  result.domains = static_cast<std::uint32_t>(received.size());
  result.mmr = monitor::min_max_ratio(received);
  result.utilization = monitor::utilization(result.busy, accelerators_.now() - accelerator.seen().reset_at());
  return result;
}

void StatusReport::domains(control::Reply& reply) {
  control::Domains& out = *reply.mutable_domains();
  std::vector<control::DomainFigures> figures;
  for (auto const& [name, domain] : domains_) {
    control::Domain& entry = *out.add_domain();
    entry.set_name(domain.name);
    entry.set_id(domain.id);
    domain_.placement(domain, entry);
    domain_.settings(domain, figures.emplace_back());
  }
  accelerators_.on_schedulers_thread([&] { describe_shares(figures, out); });
  for (std::size_t i = 0; i < figures.size(); ++i)
    control::set_figures(*out.mutable_domain(static_cast<int>(i)), figures[i]);
  out.set_policy(std::string(accelerators_.policy().policy->name));
  out.set_since(std::string(accelerators_.counting_since()));
}

// For all domains; their entries exist already.
void StatusReport::describe_shares(std::span<control::DomainFigures> figures, control::Domains& out) {
  std::vector<Fairness> by_accelerator;
  for (auto const& accelerator : accelerators_) {
    accelerator->scheduler().bring_up_to_date();
    by_accelerator.push_back(fairness(*accelerator));
  }
  std::size_t next = 0;
  for (auto const& [name, domain] : domains_) {
    control::DomainFigures& entry = figures[next];
    domain_.use(domain, entry);
    domain_.tasks(domain, *out.mutable_domain(static_cast<int>(next++)));
    if (domain.accelerator == nullptr) continue;
    Fairness const& there = by_accelerator[domain.accelerator->index()];
    monitor::DomainUsage const usage = domain.accelerator->seen().usage_since_reset(domain.id);
    if (usage.tasks > 0) entry.target_share = domain.settings.credits / there.credits;
    if (there.busy > Nanos{0})
      entry.received_share =
          static_cast<double>(usage.device_busy.count()) / static_cast<double>(there.busy.count());
  }
  out.set_mmr(std::ranges::min(by_accelerator, {}, &Fairness::mmr).mmr);
  double utilization = 0;
  for (Fairness const& entry : by_accelerator)
    utilization += entry.utilization / static_cast<double>(by_accelerator.size());
  out.set_utilization(utilization);
  out.set_elapsed_ns(as_ns(accelerators_.now() - accelerators_[0].seen().reset_at()));
}

void StatusReport::accelerators(control::Reply& reply) {
  for (auto const& accelerator : accelerators_) {
    FoundAccelerator const& found = accelerator->found();
    auto const [now, source] = accelerators_.on_schedulers_thread([&] {
      accelerator->scheduler().bring_up_to_date();
      return std::pair(fairness(*accelerator), accelerators_.cpu_watch().source());
    });
    control::Accelerator& out = *reply.mutable_accelerators()->add_accelerator();
    out.set_index(accelerator->index());
    out.set_name(found.profile.name);
    out.set_kind(std::string(accelerator->kind().name));
    out.set_policy(std::string(accelerators_.policy().policy->name));
    out.set_schedule_source(source);
    auto const switches = accelerator->switches();
    control::set_figures(out,
                         control::AcceleratorFigures{.memory_bytes = found.memory_bytes,
                                                     .memory_used_bytes = accelerator->memory().used_bytes(),
                                                     .domains = now.domains,
                                                     .tasks = sessions_.count_on(*accelerator),
                                                     .pageable_tasks = sessions_.pageable_on(*accelerator),
                                                     .utilization = now.utilization,
                                                     .mmr = now.mmr,
                                                     .switches = switches.count,
                                                     .switching_ns = as_ns(switches.time),
                                                     .switch_cost_ns = as_ns(found.switch_cost)});
    auto const& attribute = found.profile.attribute;
    out.set_compute_capability(
        static_cast<std::uint32_t>(10 * attribute[device::attribute::compute_capability_major] +
                                   attribute[device::attribute::compute_capability_minor]));
  }
}

// The last decisions of all accelerators, oldest first.
void StatusReport::log(std::uint32_t entries, control::Reply& reply) {
  std::map<DomainId, std::string_view> names;
  for (auto const& [name, domain] : domains_)
    names.emplace(domain.id, name);
  std::size_t const wanted = entries == 0 ? SIZE_MAX : entries;
  std::vector<std::pair<monitor::TraceEntry, std::uint32_t>> decisions;
  accelerators_.on_schedulers_thread([&] {
    for (auto const& accelerator : accelerators_)
      for (monitor::TraceEntry& entry : accelerator->seen().trace().last(wanted))
        decisions.emplace_back(std::move(entry), accelerator->index());
  });
  std::ranges::stable_sort(decisions, {}, [](auto const& decision) { return decision.first.at; });
  std::size_t const left_out = decisions.size() - std::min(wanted, decisions.size());
  reply.mutable_log();
  for (auto const& [entry, accelerator] : std::span(decisions).subspan(left_out)) {
    control::LogEntry& out = *reply.mutable_log()->add_entry();
    out.set_at_ns(as_ns(entry.at.time_since_epoch()));
    out.set_accelerator(accelerator);
    out.set_policy(std::string(entry.policy));
    for (DomainId const id : entry.domains)
      if (auto const found = names.find(id); found != names.end()) out.add_domain(std::string(found->second));
    out.set_ran_ns(as_ns(entry.ran));
    out.set_device_busy_ns(as_ns(entry.device_busy));
    out.set_ended(std::string(reason_name(entry.ended)));
  }
}

} // namespace pegasus::daemon
