// SPDX-License-Identifier: Apache-2.0
#include "sim/report/print.h"

#include "sim/report/deviation.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pegasus::sim {
namespace {

double seconds(Nanos time) { return std::chrono::duration<double>(time).count(); }
double part(Nanos of, Nanos whole) { return whole > Nanos{0} ? seconds(of) / seconds(whole) : 0; }

std::string_view name_of(SchedulerKind scheduler) {
  return std::ranges::find(scheduler_kinds, scheduler, &std::pair<std::string_view, SchedulerKind>::second)
      ->first;
}

nlohmann::ordered_json json_of(Run const& run, DomainOutcome const& domain, double progress) {
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (ProgramOutcome const& program : domain.programs) {
    nlohmann::ordered_json& shown = programs.emplace_back();
    shown = {{"name", program.name},
             {"rounds", program.rounds},
             {"kernels", program.kernels},
             {"killed", program.killed}};
    if (program.began) shown["began_s"] = seconds(*program.began);
    if (program.ended) shown["ended_s"] = seconds(*program.ended);
  }
  return {{"name", domain.name},
          {"credits", domain.credits},
          {"accelerator", domain.accelerator},
          {"share", share(run.outcome, domain)},
          {"device_s", seconds(domain.device)},
          {"cpu_s", seconds(domain.cpu)},
          {"progress", progress},
          {"wait_p50_us", domain.wait_p50_us},
          {"wait_p99_us", domain.wait_p99_us},
          {"wait_mean_us", domain.wait_mean_us},
          {"wait_deviation_us", domain.wait_deviation_us},
          {"programs", programs}};
}

nlohmann::ordered_json json_of(std::vector<Deviation> const& deviations) {
  using Json = nlohmann::ordered_json;
  auto const percent = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  Json domains = Json::array();
  for (Deviation const& each : deviations)
    domains.push_back({{"name", each.domain},
                       {"share_points", each.share},
                       {"device_time_percent", percent(each.device_time)},
                       {"calls_percent", percent(each.calls)}});
  return domains;
}

nlohmann::ordered_json json_of(ScenarioRuns const& of, Run const& run) {
  nlohmann::ordered_json domains = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < run.progress.size(); ++i)
    domains.push_back(json_of(run, run.outcome.domains[i], run.progress[i]));
  nlohmann::ordered_json accelerators = nlohmann::ordered_json::array();
  for (AcceleratorOutcome const& each : run.outcome.accelerators) {
    accelerators.push_back({{"busy", part(each.busy, run.outcome.duration)},
                            {"switching", part(each.switching, run.outcome.duration)},
                            {"switches", each.switches},
                            {"points", each.points}});
    if (each.copy_engines > 0)
      accelerators.back()["copying"] = part(each.copying, run.outcome.duration * each.copy_engines);
  }
  nlohmann::ordered_json shows;
  for (Measure const measure : of.scenario.shows)
    shows[std::string(
        std::ranges::find(measures, measure, &std::pair<std::string_view, Measure>::second)->first)] =
        values_of(measure, run);
  nlohmann::ordered_json shown{{"scenario", of.name},
                               {"variant", of.scenario.variant},
                               {"title", of.scenario.title},
                               {"set", of.scenario.settings},
                               {"duration_s", seconds(of.scenario.duration)},
                               {"scheduler", name_of(of.scenario.cpus.scheduler)},
                               {"policy", run.policy},
                               {"seed", run.seed},
                               {"shows", shows},
                               {"mmr", run.mmr},
                               {"overhead", run.overhead},
                               {"domains", domains},
                               {"accelerators", accelerators},
                               {"events", run.outcome.events}};
  if (run.outcome.dom0_cpu) shown["dom0_cpu_s"] = seconds(*run.outcome.dom0_cpu);
  if (of.scenario.recorded && of.scenario.recorded->policy == run.policy)
    shown["deviation"] = json_of(deviations(of.scenario, run));
  return shown;
}

std::string table_of(std::vector<Deviation> const& deviations, std::size_t width) {
  if (deviations.empty()) return "";
  auto const percent = [](std::optional<double> value) {
    return value ? fmt::format("{:+.1f}%", *value) : "-";
  };
  std::string text =
      fmt::format("  the replay's deviation from what was recorded:\n  {:{}} {:>12} {:>12} {:>9}\n", "domain",
                  width, "share", "device time", "calls");
  for (Deviation const& each : deviations)
    text += fmt::format("  {:{}} {:>+5.1f} points {:>12} {:>9}\n", each.domain, width, each.share,
                        percent(each.device_time), percent(each.calls));
  return text;
}

std::string table_of(Scenario const& scenario, std::span<Run const> runs) {
  std::string text = scenario.title;
  if (!scenario.variant.empty()) text += fmt::format("{}$ = {}", text.empty() ? "" : ", ", scenario.variant);
  for (std::string const& setting : scenario.settings)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", setting);
  if (!text.empty()) text += "\n\n";
  std::size_t width = 6;
  for (DomainScenario const& domain : scenario.domains)
    width = std::max(width, domain.name.size());
  for (Run const& run : runs) {
    text += fmt::format("{}: min-max ratio {:.3f}, overhead {:.3f}\n", run.policy, run.mmr, run.overhead);
    text += fmt::format("  {:{}} {:>7} {:>6} {:>8} {:>9} {:>9} {:>10} {:>10}\n", "domain", width, "credits",
                        "share", "progress", "kernels/s", "CPU", "wait p50", "wait p99");
    for (std::size_t i = 0; i < run.progress.size(); ++i) {
      DomainOutcome const& domain = run.outcome.domains[i];
      text +=
          fmt::format("  {:{}} {:>7} {:>6.3f} {:>8.3f} {:>9.0f} {:>8.1f}% {:>7.0f} us {:>7.0f} us\n",
                      domain.name, width, domain.credits, share(run.outcome, domain), run.progress[i],
                      static_cast<double>(kernels(domain)) / seconds(run.outcome.duration),
                      100 * part(domain.cpu, run.outcome.duration), domain.wait_p50_us, domain.wait_p99_us);
    }
    for (std::size_t a = 0; a < run.outcome.accelerators.size(); ++a) {
      AcceleratorOutcome const& each = run.outcome.accelerators[a];
      text += fmt::format("  accelerator {}: {:.1f}% busy, {:.1f}% changing contexts ({} times)\n", a,
                          100 * part(each.busy, run.outcome.duration),
                          100 * part(each.switching, run.outcome.duration), each.switches);
      if (each.copy_engines > 0)
        text += fmt::format("  copy engines of accelerator {}: {:.1f}% busy\n", a,
                            100 * part(each.copying, run.outcome.duration * each.copy_engines));
    }
    if (run.outcome.dom0_cpu)
      text +=
          fmt::format("  Dom0: {:.1f}% of a pCPU\n", 100 * part(*run.outcome.dom0_cpu, run.outcome.duration));
    text += table_of(deviations(scenario, run), width);
  }
  return text;
}

} // namespace

std::string as_json(std::span<ScenarioRuns const> all) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (ScenarioRuns const& each : all)
    for (Run const& run : each.runs)
      runs.push_back(json_of(each, run));
  return nlohmann::ordered_json{{"runs", runs}}.dump(2) + "\n";
}

std::string as_table(std::span<ScenarioRuns const> all) {
  std::string text;
  for (ScenarioRuns const& each : all)
    text += (text.empty() ? "" : "\n") + table_of(each.scenario, each.runs);
  return text;
}

} // namespace pegasus::sim
