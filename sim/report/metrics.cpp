// SPDX-License-Identifier: Apache-2.0
#include "sim/report/metrics.h"

#include "policies/fairness.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>

namespace pegasus::sim {
namespace {

double per_second(std::uint64_t kernels, Nanos time) {
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
  std::uint64_t const all = kernels(domain);
  return {.measured = per_second(all, outcome.duration),
          .at_work = per_second(all, time_at_work(outcome, domain))};
}

// What domains and programs do when the host is their own.
struct Alone {
  std::vector<Rates> domains;
  std::vector<double> programs; // measured, in the order of the domains; empty if no figure shows them
};

Outcome run_alone(Scenario const& scenario, DomainScenario const& domain, std::uint64_t seed) {
  policies::Choice const none{policies::find("none"), {.tick = scenario.tick}};
  Scenario alone = scenario;
  alone.domains = {domain};
  return Host(alone, none, seed).run();
}

// Runs each kind of domain once: what `copies` makes differs only in its name.
class LoneRuns {
public:
  LoneRuns(Scenario const& scenario, std::uint64_t seed) : scenario_(scenario), seed_(seed) {}

  Rates rates(DomainScenario domain) {
    domain.name.clear();
    auto const cached = std::ranges::find(runs_, domain, &LoneRun::domain);
    if (cached != runs_.end()) return cached->rates;
    Outcome const outcome = run_alone(scenario_, domain, seed_);
    runs_.push_back({std::move(domain), rates_of(outcome, outcome.domains.front())});
    return runs_.back().rates;
  }

private:
  struct LoneRun {
    DomainScenario domain;
    Rates rates;
  };

  Scenario const& scenario_;
  std::uint64_t seed_;
  std::vector<LoneRun> runs_;
};

Alone rates_alone(Scenario const& scenario, std::uint64_t seed) {
  Alone alone;
  LoneRuns runs(scenario, seed);
  bool const of_programs = std::ranges::count(scenario.shows, Measure::program_run_time) > 0;
  for (DomainScenario const& domain : scenario.domains) {
    alone.domains.push_back(runs.rates(domain));
    if (!of_programs) continue;
    for (ProgramSettings const& program : domain.programs) {
      DomainScenario single = domain;
      single.programs = {program};
      alone.programs.push_back(runs.rates(single).measured);
    }
  }
  return alone;
}

double part_of(double rate, double alone) { return alone > 0 ? rate / alone : 0; }

void measure(Run& run, Alone const& alone) {
  Outcome const& outcome = run.outcome;
  std::vector<double> entitled;
  for (std::size_t i = 0; i < alone.domains.size(); ++i) {
    DomainOutcome const& domain = outcome.domains[i];
    Rates const rates = rates_of(outcome, domain);
    run.progress.push_back(part_of(rates.measured, alone.domains[i].measured));
    run.work.push_back(part_of(rates.at_work, alone.domains[i].at_work));
    entitled.push_back(alone.domains[i].measured > 0 ? domain.credits : 0);
  }
  auto next = alone.programs.begin();
  for (DomainOutcome const& domain : outcome.domains)
    for (auto program = domain.programs.begin();
         program != domain.programs.end() && next != alone.programs.end(); ++program)
      run.program_progress.push_back(part_of(per_second(program->kernels, outcome.duration), *next++));
  run.mmr = policies::min_max_ratio(run.progress, entitled);
  double const all = std::accumulate(run.progress.begin(), run.progress.end(), 0.0);
  run.overhead = all > 0 ? static_cast<double>(run.outcome.accelerators.size()) / all : 0;
}

std::vector<double> inverses(std::vector<double> const& progress) {
  std::vector<double> values;
  std::ranges::transform(progress, std::back_inserter(values), [](double part) { return 1 / part; });
  return values;
}

// Of each domain, from a member in microseconds.
std::vector<double> milliseconds(Run const& run, double DomainOutcome::*us) {
  std::vector<double> values;
  for (DomainOutcome const& each : run.outcome.domains)
    values.push_back(each.*us / 1000);
  return values;
}

// Of each accelerator.
template <class Value> std::vector<double> in_each_turn(Run const& run, Value const& value) {
  std::vector<double> values;
  for (AcceleratorOutcome const& each : run.outcome.accelerators)
    values.push_back(each.memory.turns > 0 ? value(each.memory) / static_cast<double>(each.memory.turns) : 0);
  return values;
}

// A scheduling policy, and a residency policy for the memory of the accelerators.
struct Policies {
  policies::Choice choice;
  residency::Entry const* residency = nullptr; // nullptr: the usual one
};

tl::expected<residency::Entry const*, std::string> residency_of(std::string const& name,
                                                                Scenario const& scenario) {
  residency::Entry const* const entry = residency::find(name);
  if (entry == nullptr) {
    std::string names;
    for (residency::Entry const& each : residency::registry())
      names.append(names.empty() ? "" : ", ").append(each.name);
    return tl::unexpected("there is no residency policy \"" + name + "\"; there are: " + names);
  }
  if (std::ranges::any_of(scenario.accelerators, [](auto const& each) { return each.memory.capacity > 0; }))
    return entry;
  return tl::unexpected("residency=" + name + " needs an accelerator with memory, as in memory = \"8G\"");
}

tl::expected<Policies, std::string> choice_of(std::string const& words, Scenario const& scenario) {
  static constexpr std::string_view of_memory = "residency=";
  std::istringstream stream(words);
  std::string name;
  stream >> name;
  std::vector<std::string> settings;
  residency::Entry const* residency = nullptr;
  for (std::string setting; stream >> setting;) {
    if (!setting.starts_with(of_memory)) {
      settings.push_back(setting);
      continue;
    }
    auto const entry = residency_of(setting.substr(of_memory.size()), scenario);
    if (!entry) return tl::unexpected(entry.error());
    residency = *entry;
  }
  auto const chosen = policies::choose(name, settings, {.tick = scenario.tick});
  if (auto const* invalid = std::get_if<policies::InvalidChoice>(&chosen))
    return tl::unexpected(invalid->text);
  return Policies{std::get<policies::Choice>(chosen), residency};
}

} // namespace

double share(Outcome const& outcome, DomainOutcome const& domain) {
  using Seconds = std::chrono::duration<double>;
  Nanos const busy = outcome.accelerators[domain.accelerator].busy;
  return busy > Nanos{0} ? Seconds(domain.device) / Seconds(busy) : 0;
}

std::uint64_t kernels(DomainOutcome const& domain) {
  std::uint64_t sum = 0;
  for (ProgramOutcome const& program : domain.programs)
    sum += program.kernels;
  return sum;
}

bool executed_nothing(Outcome const& outcome) {
  return std::ranges::all_of(outcome.domains,
                             [](DomainOutcome const& domain) { return kernels(domain) == 0; });
}

std::vector<double> values_of(Measure measure, Run const& run) {
  constexpr double did_not_run = std::numeric_limits<double>::infinity();
  std::vector<double> values;
  switch (measure) {
  case Measure::mmr:
    return {executed_nothing(run.outcome) ? did_not_run : run.mmr};
  case Measure::overhead:
    return {executed_nothing(run.outcome) ? did_not_run : run.overhead};
  case Measure::utilization:
    for (AcceleratorOutcome const& each : run.outcome.accelerators)
      values.push_back(std::chrono::duration<double>(each.busy) / run.outcome.duration);
    return values;
  case Measure::run_time:
    return inverses(run.progress);
  case Measure::program_run_time:
    return inverses(run.program_progress);
  case Measure::work:
    return run.work;
  case Measure::mean_work: {
    double inverse = 0;
    for (double const part : run.work)
      inverse += 1 / part;
    return {inverse > 0 ? static_cast<double>(run.work.size()) / inverse : 0};
  }
  case Measure::latency:
    return milliseconds(run, &DomainOutcome::wait_mean_us);
  case Measure::deviation:
    return milliseconds(run, &DomainOutcome::wait_deviation_us);
  case Measure::median:
    return milliseconds(run, &DomainOutcome::wait_p50_us);
  case Measure::p99:
    return milliseconds(run, &DomainOutcome::wait_p99_us);
  case Measure::p999:
    return milliseconds(run, &DomainOutcome::wait_p999_us);
  case Measure::copies:
    return in_each_turn(run,
                        [](Memory::Totals const& memory) { return static_cast<double>(memory.copies.in); });
  case Measure::copied:
    return in_each_turn(run, [](Memory::Totals const& memory) { return memory.bytes_in() / (1 << 20); });
  case Measure::kernels:
    for (DomainOutcome const& each : run.outcome.domains)
      values.push_back(per_second(kernels(each), run.outcome.duration));
    return values;
  }
  return values;
}

tl::expected<std::vector<Run>, std::string> run_policies(Scenario const& scenario,
                                                         std::vector<std::string> const& policies,
                                                         std::uint64_t seed, RunTimeline* timeline) {
  std::vector<Policies> choices;
  for (std::string const& policy : policies) {
    auto const choice = choice_of(policy, scenario);
    if (!choice) return tl::unexpected(choice.error());
    choices.push_back(*choice);
  }
  Alone const alone = rates_alone(scenario, seed);
  std::vector<Run> runs;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    Run& run = runs.emplace_back();
    run.policy = policies[i];
    run.seed = seed;
    if (timeline != nullptr) timeline->begin(scenario, run.policy);
    Scenario under = scenario;
    for (Engine::Options& accelerator : under.accelerators)
      if (choices[i].residency != nullptr) accelerator.memory.policy = choices[i].residency;
    run.outcome = Host(under, choices[i].choice, seed, timeline).run();
    measure(run, alone);
  }
  return runs;
}

} // namespace pegasus::sim
