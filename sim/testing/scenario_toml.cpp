// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/scenario_toml.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pegasus::sim::testing {
namespace {

std::string span(Nanos of) { return fmt::format("{}ns", of.count()); }

std::string as_text(Step const& step) {
  switch (step.kind) {
  case Step::Kind::cpu:
    return fmt::format("cpu {}", span(step.span));
  case Step::Kind::launch:
    return fmt::format("launch {} {}", span(step.span), step.count);
  case Step::Kind::call:
    return fmt::format("call {} {}", span(step.span), step.count);
  case Step::Kind::to_device:
    return fmt::format("to_device {} {}", span(step.span), step.count);
  case Step::Kind::from_device:
    return fmt::format("from_device {} {}", span(step.span), step.count);
  case Step::Kind::sync:
    return "sync";
  case Step::Kind::every:
    return fmt::format("every {}", span(step.span));
  case Step::Kind::arrive:
    return fmt::format("arrive {}", span(step.span));
  case Step::Kind::sleep:
    return fmt::format("sleep {}", span(step.span));
  }
  return "";
}

std::string_view as_text(Wait wait) {
  return wait == Wait::spin ? "spin" : wait == Wait::block ? "block" : "hybrid";
}

std::string as_toml(ProgramSettings const& program, bool weighted) {
  std::string text = fmt::format("[[domain.program]]\nname = \"{}\"\nstart = \"{}\"\nspread = {}\n",
                                 program.name, span(program.start), program.spread);
  if (program.wait) text += fmt::format("wait = \"{}\"\n", as_text(*program.wait));
  if (weighted) text += fmt::format("weight = {}\n", program.weight);
  for (Phase const& phase : program.phases) {
    text += fmt::format("[[domain.program.phase]]\nrounds = {}\nsteps = [", phase.rounds);
    for (Step const& step : phase.steps)
      text += fmt::format("{}\"{}\"", &step == phase.steps.data() ? "" : ", ", as_text(step));
    text += "]\n";
  }
  return text;
}

std::string as_toml(DomainScenario const& domain) {
  std::string text = fmt::format("\n[[domain]]\nname = \"{}\"\nvcpus = {}\nweight = {}\ncap = {}\n",
                                 domain.name, domain.vcpus, domain.cpu.weight, domain.cpu.cap);
  if (!domain.cpu.pin.empty()) text += fmt::format("pin = [{}]\n", fmt::join(domain.cpu.pin, ", "));
  control::Settings const& settings = domain.accelerator;
  text += fmt::format("credits = {}\naccelerator = {}\n", settings.credits, settings.accelerator.value_or(0));
  if (settings.slo > 0) text += fmt::format("slo = {}\n", settings.slo);
  if (settings.latency_slice > Nanos{0})
    text += fmt::format("latency = \"{}\"\n", span(settings.latency_slice));
  if (settings.cap > 0) text += fmt::format("accelerator_cap = {}\n", settings.cap);
  if (domain.nested)
    text +=
        fmt::format("nested = {{ lag = \"{}\", idle_after = \"{}\", period = \"{}\" }}\n",
                    span(domain.nested->lag), span(domain.nested->idle_after), span(domain.nested->period));
  for (ProgramSettings const& program : domain.programs)
    text += as_toml(program, domain.nested.has_value());
  return text;
}

std::string_view name_of(SchedulerKind kind) {
  return std::ranges::find(scheduler_kinds, kind, &std::pair<std::string_view, SchedulerKind>::second)->first;
}

std::string as_toml(ScheduleSettings const& schedule) {
  if (schedule.source == ScheduleSource::pages)
    return fmt::format("schedule_age = \"{}\"\nschedule_period = \"{}\"\n", span(schedule.age),
                       span(schedule.period));
  return fmt::format("schedule = \"{}\"\n",
                     std::ranges::find(schedule_sources, schedule.source,
                                       &std::pair<std::string_view, ScheduleSource>::second)
                         ->first);
}

std::string as_toml(Dom0Settings const& dom0) {
  std::string text = fmt::format(
      "\n[dom0]\nvcpus = {}\nown_pcpus = {}\nweight = {}\ncap = {}\nwait = \"{}\"\n", dom0.vcpus,
      dom0.own_pcpus, dom0.cpu.weight, dom0.cpu.cap, as_text(dom0.device_poll ? Wait::spin : Wait::block));
  if (!dom0.cpu.pin.empty()) text += fmt::format("pin = [{}]\n", fmt::join(dom0.cpu.pin, ", "));
  return text;
}

} // namespace

std::string as_toml(Scenario const& scenario) {
  std::string text = fmt::format("duration = \"{}\"\nwarm_up = \"{}\"\ntick = \"{}\"\nrunaway = \"{}\"\n",
                                 span(scenario.duration), span(scenario.warm_up), span(scenario.tick),
                                 span(scenario.runaway));
  if (!scenario.reservations) text += "slos = \"policy\"\n";
  PoolSettings const& cpus = scenario.cpus;
  text += fmt::format("\n[cpus]\nscheduler = \"{}\"\ncount = {}\nratelimit = \"{}\"\n",
                      name_of(cpus.scheduler), cpus.pcpus, span(cpus.ratelimit));
  if (cpus.scheduler == SchedulerKind::credit)
    text += fmt::format("slice = \"{}\"\nticks = \"{}\"\n", span(cpus.slice),
                        cpus.ticks_spread ? "spread" : "together");
  text += as_toml(scenario.schedule);
  if (scenario.dom0) text += as_toml(*scenario.dom0);
  for (Engine::Options const& each : scenario.accelerators) {
    text += fmt::format("\n[[accelerator]]\nswitch_cost = \"{}\"\ncontention = \"{}\"\npreempt = \"{}\"\n"
                        "copy_engines = {}\n",
                        span(each.switch_cost), span(each.contention), span(each.preempt), each.copy_engines);
    text += fmt::format("piece = \"{}\"\npiece_cost = \"{}\"\n", span(each.piece), span(each.piece_cost));
    if (each.told_switch_cost)
      text += fmt::format("told_switch_cost = \"{}\"\n", span(*each.told_switch_cost));
  }
  for (DomainScenario const& domain : scenario.domains)
    text += as_toml(domain);
  return text;
}

std::string as_option(policies::Choice const& policy) {
  std::string text(policy.policy->name);
  for (policies::Tunable const& each : policy.policy->tunables) {
    std::string const value = each.value(policy.tunables);
    if (each.name != "tick" && value != each.value({})) text += fmt::format(" {}={}", each.name, value);
  }
  return text;
}

} // namespace pegasus::sim::testing
