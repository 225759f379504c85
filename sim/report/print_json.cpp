// SPDX-License-Identifier: Apache-2.0
#include "sim/report/print.h"

#include "sim/report/deviation.h"
#include "sim/report/summary.h"
#include "sim/report/units.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pegasus::sim {
namespace {

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

nlohmann::ordered_json json_of(std::optional<Estimate> const& estimate) {
  using Json = nlohmann::ordered_json;
  if (!estimate) return {};
  return {{"mean", estimate->mean}, {"interval", estimate->interval ? Json(*estimate->interval) : Json()}};
}

// What --seeds adds to a run.
nlohmann::ordered_json json_of_seeds(ScenarioRuns const& of, std::size_t policy) {
  nlohmann::ordered_json shown{{"count", of.seeds.size()}, {"random", is_random(of.scenario)}};
  for (Metric const& metric : metrics())
    shown[std::string(metric.key)] = json_of(estimate_of(of, policy, metric.value));
  nlohmann::ordered_json domains = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < of.scenario.domains.size(); ++i)
    domains.push_back(
        {{"name", of.scenario.domains[i].name},
         {"progress", json_of(estimate_of(of, policy, [i](Run const& run) { return run.progress[i]; }))}});
  shown["domains"] = domains;
  return shown;
}

nlohmann::ordered_json json_of(ScenarioRuns const& of, std::size_t policy) {
  Run const& run = of.runs[policy];
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
    if (each.memory.granule > 0)
      accelerators.back()["memory"] = {{"turns", each.memory.turns},
                                       {"copies", each.memory.copies.in},
                                       {"bytes_in", each.memory.bytes_in()},
                                       {"bytes_out", each.memory.bytes_out()}};
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
                               {"mmr", values_of(Measure::mmr, run).front()},
                               {"overhead", values_of(Measure::overhead, run).front()},
                               {"domains", domains},
                               {"accelerators", accelerators},
                               {"events", run.outcome.events}};
  if (run.outcome.dom0_cpu) shown["dom0_cpu_s"] = seconds(*run.outcome.dom0_cpu);
  if (of.scenario.recorded && of.scenario.recorded->policy == run.policy)
    shown["deviation"] = json_of(deviations(of.scenario, run));
  if (!of.seeds.empty()) shown["seeds"] = json_of_seeds(of, policy);
  return shown;
}

} // namespace

std::string as_json(std::span<ScenarioRuns const> all) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (ScenarioRuns const& each : all)
    for (std::size_t policy = 0; policy < each.runs.size(); ++policy)
      runs.push_back(json_of(each, policy));
  return nlohmann::ordered_json{{"runs", runs}}.dump(2) + "\n";
}

} // namespace pegasus::sim
