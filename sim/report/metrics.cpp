// SPDX-License-Identifier: Apache-2.0
#include "sim/report/metrics.h"

#include "policies/fairness.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace pegasus::sim {
namespace {

double per_second(DomainOutcome const& domain, Nanos time) {
  std::uint64_t kernels = 0;
  for (ProgramOutcome const& program : domain.programs)
    kernels += program.kernels;
  return time > Nanos{0} ? static_cast<double>(kernels) / std::chrono::duration<double>(time).count() : 0;
}

// From the beginning of the measurement until the domain's last program has ended; all of it if one has not.
Nanos time_at_work(Outcome const& outcome, DomainOutcome const& domain) {
  Nanos last{0};
  for (ProgramOutcome const& program : domain.programs)
    last = std::max(last, program.ended.value_or(Nanos::max()));
  return std::min(outcome.duration, last - outcome.warm_up);
}

// Kernels a second.
struct Rates {
  double measured = 0; // of the measurement
  double at_work = 0;  // of its part in which the domain had work
};

Rates rates_of(Outcome const& outcome, DomainOutcome const& domain) {
  return {.measured = per_second(domain, outcome.duration),
          .at_work = per_second(domain, time_at_work(outcome, domain))};
}

// What each domain does when the host is its own.
std::vector<Rates> rates_alone(Scenario const& scenario, std::uint64_t seed) {
  std::vector<Rates> rates;
  policies::Choice const none{policies::find("none"), {.tick = scenario.tick}};
  for (DomainScenario const& domain : scenario.domains) {
    Scenario alone = scenario;
    alone.domains = {domain};
    Outcome const outcome = Host(alone, none, seed).run();
    rates.push_back(rates_of(outcome, outcome.domains.front()));
  }
  return rates;
}

void measure(Run& run, std::vector<Rates> const& alone) {
  std::vector<double> entitled;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    DomainOutcome const& domain = run.outcome.domains[i];
    Rates const rates = rates_of(run.outcome, domain);
    run.progress.push_back(alone[i].measured > 0 ? rates.measured / alone[i].measured : 0);
    run.work.push_back(alone[i].at_work > 0 ? rates.at_work / alone[i].at_work : 0);
    entitled.push_back(alone[i].measured > 0 ? domain.credits : 0);
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
  case Measure::work:
    return run.work;
  case Measure::mean_work: {
    double inverse = 0;
    for (double const part : run.work)
      inverse += 1 / part;
    return {inverse > 0 ? static_cast<double>(run.work.size()) / inverse : 0};
  }
  case Measure::latency:
    for (DomainOutcome const& each : run.outcome.domains)
      values.push_back(each.wait_mean_us / 1000);
    return values;
  case Measure::deviation:
    for (DomainOutcome const& each : run.outcome.domains)
      values.push_back(each.wait_deviation_us / 1000);
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
  std::vector<Rates> const alone = rates_alone(scenario, seed);
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
