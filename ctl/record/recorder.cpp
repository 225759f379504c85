// SPDX-License-Identifier: Apache-2.0
#include "ctl/record/recorder.h"

#include "cli/printable.h"
#include "control/client/totals.h"
#include "control/figure_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace pegasus::ctl {
namespace {

using control::growth;

control::DomainFigures figures_in(control::Domains const& domains, control::Domain const& like) {
  for (control::Domain const& each : domains.domain())
    if (each.name() == like.name() && each.id() == like.id()) return control::figures_of(each);
  return {}; // it is new: its totals were 0
}

Interval interval_of(control::DomainFigures const& before, control::DomainFigures const& now, int tasks,
                     std::uint64_t length_ns) {
  Interval interval{.length_ns = length_ns,
                    .device_ns = growth(before.device_busy_ns, now.device_busy_ns) +
                                 growth(before.host_busy_ns, now.host_busy_ns),
                    .calls = growth(before.calls, now.calls),
                    .sync_calls = growth(before.sync_calls, now.sync_calls),
                    .waited_ns = growth(before.waited_ns, now.waited_ns),
                    .in_calls_ns = growth(before.sync_calls_ns, now.sync_calls_ns)};
  if (tasks > 0) {
    interval.task_ns = length_ns * static_cast<std::uint64_t>(tasks);
    interval.with_tasks_ns = length_ns;
  }
  return interval;
}

control::AcceleratorFigures at(control::Accelerators const& accelerators, int index) {
  if (index >= accelerators.accelerator_size()) return {};
  return control::figures_of(accelerators.accelerator(index));
}

tl::unexpected<Failure> changed(std::string const& what) {
  return fail(FailureKind::local, what + " while it was recorded: record again");
}

} // namespace

std::string policy_words(control::Policies const& policies) {
  for (control::Policy const& policy : policies.policy()) {
    if (!policy.active()) continue;
    std::string words = policy.name();
    for (control::Tunable const& tunable : policy.tunable())
      if (tunable.value() != tunable.usual()) words += fmt::format(" {}={}", tunable.name(), tunable.value());
    return words;
  }
  return "";
}

Recorder::Recorder(control::Policies const& policies, control::Accelerators accelerators,
                   control::Domains domains)
    : at_first_(accelerators), accelerators_before_(std::move(accelerators)), before_(std::move(domains)) {
  recording_.policy = policy_words(policies);
  for (control::Policy const& policy : policies.policy())
    exclusive_ = exclusive_ || (policy.active() && policy.exclusive());
  for (control::Policy const& policy : policies.policy())
    for (control::Tunable const& tunable : policy.tunable())
      if (tunable.name() == "tick") recording_.tick = tunable.usual();
  for (control::Domain const& domain : before_.domain())
    (void)find_or_add(domain);
}

Result<RecordedDomain*> Recorder::find_or_add(control::Domain const& domain) {
  control::DomainFigures const figures = control::figures_of(domain);
  auto const found = std::ranges::find(recording_.domains, domain.name(), &RecordedDomain::name);
  if (found != recording_.domains.end()) {
    if (found->credits != figures.credits || found->slo != figures.slo ||
        found->latency_slice_ns != figures.latency_slice_ns)
      return changed(fmt::format("the settings of domain {} changed", cli::printable(domain.name())));
    return &*found;
  }
  RecordedDomain& added = recording_.domains.emplace_back();
  added.name = domain.name();
  added.credits = static_cast<std::uint32_t>(figures.credits);
  added.slo = figures.slo;
  added.latency_slice_ns = figures.latency_slice_ns;
  for (std::uint64_t const length : lengths_)
    added.intervals.push_back({.length_ns = length});
  return &added;
}

Result<void> Recorder::sample(control::Domains now, control::Accelerators accelerators) {
  if (now.policy() != before_.policy())
    return changed(fmt::format("the policy changed from {} to {}", cli::printable(before_.policy()),
                               cli::printable(now.policy())));
  std::uint64_t const length = growth(before_.elapsed_ns(), now.elapsed_ns());
  for (control::Domain const& domain : now.domain()) {
    auto const found = find_or_add(domain);
    if (!found) return tl::unexpected(found.error());
    RecordedDomain& recorded = **found;
    control::DomainFigures const figures = control::figures_of(domain);
    recorded.intervals.push_back(
        interval_of(figures_in(before_, domain), figures, domain.task_size(), length));
    recorded.accelerator = domain.accelerator();
    recorded.estimated = recorded.estimated || figures.estimated;
    if (figures.cpu_weight > 0) recorded.cpu_weight = static_cast<std::uint32_t>(figures.cpu_weight);
    if (recorded.program.empty() && domain.task_size() > 0) recorded.program = domain.task(0).program();
  }
  lengths_.push_back(length);
  for (RecordedDomain& gone : recording_.domains)
    if (gone.intervals.size() < lengths_.size()) gone.intervals.push_back({.length_ns = length});
  add_delays(now, accelerators);
  before_ = std::move(now);
  accelerators_before_ = std::move(accelerators);
  return {};
}

// To the last interval of each domain, how its calls may have been delayed. Where one domain runs at a time,
// pegasusd sees when a domain has a call: what of that time neither executed nor waited is the cost of
// serving it. Where several have the device together, a call that finds the gate open is not seen to arrive,
// and the others' work delays it.
void Recorder::add_delays(control::Domains const& now, control::Accelerators const& accelerators) {
  for (control::Domain const& domain : now.domain()) {
    RecordedDomain& recorded = *std::ranges::find(recording_.domains, domain.name(), &RecordedDomain::name);
    Interval& last = recorded.intervals.back();
    if (exclusive_) {
      std::uint64_t const wanted =
          growth(figures_in(before_, domain).wanted_ns, control::figures_of(domain).wanted_ns);
      last.delayed_ns = wanted - std::min(wanted, last.device_ns + last.waited_ns);
      if (last.tasks() == 1) last.in_calls_ns = std::max(wanted, last.device_ns + last.waited_ns);
    } else if (recorded.estimated) {
      last.delayed_ns = last.length_ns; // an estimate says nothing
    } else {
      last.delayed_ns = others_ns(accelerators, recorded);
    }
  }
}

// What the domain's accelerator did in the last interval for others, or between them.
std::uint64_t Recorder::others_ns(control::Accelerators const& now, RecordedDomain const& domain) const {
  auto const number = static_cast<int>(domain.accelerator);
  std::uint64_t sum = growth(at(accelerators_before_, number).switching_ns, at(now, number).switching_ns);
  for (RecordedDomain const& other : recording_.domains)
    if (&other != &domain && other.accelerator == domain.accelerator) sum += other.intervals.back().device_ns;
  return sum;
}

Result<Recording> Recorder::end(control::Policies const& policies) && {
  if (std::string const now = policy_words(policies); now != recording_.policy)
    return changed(fmt::format("the policy changed from {} to {}", cli::printable(recording_.policy),
                               cli::printable(now)));
  if (recording_.domains.empty())
    return fail(FailureKind::local,
                "pegasusd has no domains: start a program with `pegasus run`, then record");
  // What the changes of the context took if there were any, else what the scheduler expects.
  for (int i = 0; i < accelerators_before_.accelerator_size(); ++i) {
    control::AcceleratorFigures const now = at(accelerators_before_, i);
    control::AcceleratorFigures const before = at(at_first_, i);
    std::uint64_t const switches = growth(before.switches, now.switches);
    recording_.switch_costs_ns.push_back(
        switches > 0 ? growth(before.switching_ns, now.switching_ns) / switches : now.switch_cost_ns);
  }
  return std::move(recording_);
}

} // namespace pegasus::ctl
