// SPDX-License-Identifier: Apache-2.0
#include "sim/report/metrics.h"

#include "policies/fairness.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace pegasus::sim {
namespace {

double kernel_rate(DomainOutcome const& domain, Nanos duration) {
  std::uint64_t kernels = 0;
  for (ProgramOutcome const& program : domain.programs)
    kernels += program.kernels;
  return static_cast<double>(kernels) / std::chrono::duration<double>(duration).count();
}

// What each domain does when the host is its own.
std::vector<double> rates_alone(Scenario const& scenario, std::uint64_t seed) {
  std::vector<double> rates;
  policies::Choice const none{policies::find("none"), {.tick = scenario.tick}};
  for (DomainScenario const& domain : scenario.domains) {
    Scenario alone = scenario;
    alone.domains = {domain};
    Outcome const outcome = Host(alone, none, seed).run();
    rates.push_back(kernel_rate(outcome.domains.front(), outcome.duration));
  }
  return rates;
}

void measure(Run& run, std::vector<double> const& alone) {
  std::vector<double> entitled;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    DomainOutcome const& domain = run.outcome.domains[i];
    run.progress.push_back(alone[i] > 0 ? kernel_rate(domain, run.outcome.duration) / alone[i] : 0);
    entitled.push_back(alone[i] > 0 ? domain.credits : 0);
  }
  run.mmr = policies::min_max_ratio(run.progress, entitled);
  double const all = std::accumulate(run.progress.begin(), run.progress.end(), 0.0);
  run.overhead = all > 0 ? static_cast<double>(run.outcome.accelerators.size()) / all : 0;
}

tl::expected<policies::Choice, std::string> choice_of(std::string const& words, Scenario const& scenario) {
  std::istringstream stream(words);
  std::string name;
  stream >> name;
  std::vector<std::string> settings;
  for (std::string setting; stream >> setting;)
    settings.push_back(setting);
  std::string error;
  auto const choice = policies::choose(name, settings, {.tick = scenario.tick}, error);
  if (!choice) return tl::unexpected(error);
  return *choice;
}

} // namespace

std::vector<double> values_of(Measure measure, Run const& run) {
  std::vector<double> values;
  switch (measure) {
  case Measure::mmr:
    return {run.mmr};
  case Measure::overhead:
    return {run.overhead};
  case Measure::utilization:
    for (AcceleratorOutcome const& each : run.outcome.accelerators)
      values.push_back(std::chrono::duration<double>(each.busy) / run.outcome.duration);
    return values;
  case Measure::run_time:
    std::ranges::transform(run.progress, std::back_inserter(values), [](double part) { return 1 / part; });
    return values;
  }
  return values;
}

tl::expected<std::vector<Run>, std::string> run_policies(Scenario const& scenario,
                                                         std::vector<std::string> const& policies,
                                                         std::uint64_t seed, Trace* trace) {
  std::vector<policies::Choice> choices;
  for (std::string const& policy : policies) {
    auto const choice = choice_of(policy, scenario);
    if (!choice) return tl::unexpected(choice.error());
    choices.push_back(*choice);
  }
  std::vector<double> const alone = rates_alone(scenario, seed);
  std::vector<Run> runs;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    Run& run = runs.emplace_back();
    run.policy = policies[i];
    run.seed = seed;
    if (trace != nullptr) trace->begin(scenario, run.policy);
    run.outcome = Host(scenario, choices[i], seed, trace).run();
    measure(run, alone);
  }
  return runs;
}

} // namespace pegasus::sim
