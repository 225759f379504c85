// SPDX-License-Identifier: Apache-2.0
// A fleet of hosts, all in memory at once: domains come, work and leave, and pegasusd's rule says to which
// accelerator of its host each goes. Beside it the same domains, put to the accelerators in turn; and each
// with an accelerator and a pCPU of its own, against which their run times are compared.
#include "policies/registry.h"
#include "sim/host.h"
#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/core.h>
#include <fmt/os.h>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace {

using namespace pegasus;
using sim::Nanos;
using sim::Scenario;
using Seconds = std::chrono::duration<double>;

constexpr Nanos interval = std::chrono::milliseconds(500); // of what is written of the time

// Of one host: how long each accelerator executed in each interval.
class Utilization final : public sim::Timeline {
public:
  Utilization(std::size_t accelerators, std::size_t intervals)
      : busy_(intervals, std::vector<Nanos>(accelerators)) {}

  void vcpu_ran(unsigned, std::size_t, policies::Time, policies::Time) override {}
  void copied(std::size_t, std::size_t, std::size_t, policies::Time, policies::Time) override {}
  void kernel_ran(std::size_t accelerator, std::size_t, policies::Time from, policies::Time to) override {
    while (from < to) {
      auto const at = static_cast<std::size_t>((from - policies::Time{}) / interval);
      policies::Time const until = std::min(to, policies::Time{} + interval * static_cast<long>(at + 1));
      if (at < busy_.size()) busy_[at][accelerator] += until - from;
      from = until;
    }
  }
  [[nodiscard]] std::vector<std::vector<Nanos>> const& busy() const { return busy_; }

private:
  std::vector<std::vector<Nanos>> busy_; // by interval and accelerator
};

// From its coming to its leaving; nullopt: it did not leave in time.
std::optional<Nanos> run_time(sim::DomainOutcome const& domain) {
  sim::ProgramOutcome const& program = domain.programs.front();
  return program.ended ? std::optional(*program.ended - program.began.value()) : std::nullopt;
}

struct Fleet {
  Scenario const& scenario;
  policies::Choice choice;
  unsigned hosts;
};

// What came of it with one way to place domains.
struct Result {
  // by interval: of a host's least, mean and most used accelerator
  std::vector<std::array<double, 3>> utilization;
  std::vector<double> slowdowns; // of all domains that left, in ascending order
  std::size_t stayed = 0;        // that did not leave
  std::uint64_t events = 0;
  double seconds = 0; // that it took
};

// By host and domain.
using RunTimes = std::vector<std::vector<std::optional<Nanos>>>;

Scenario in_turn(Scenario scenario) {
  for (std::size_t i = 0; i < scenario.domains.size(); ++i)
    scenario.domains[i].accelerator.accelerator =
        static_cast<std::uint32_t>(i % scenario.accelerators.size());
  return scenario;
}

Scenario undisturbed(Scenario scenario) {
  scenario.accelerators.assign(scenario.domains.size(), scenario.accelerators.front());
  scenario.cpus.pcpus = static_cast<unsigned>(scenario.domains.size());
  return in_turn(std::move(scenario));
}

RunTimes run_times_undisturbed(Fleet const& fleet) {
  Scenario const scenario = undisturbed(fleet.scenario);
  RunTimes times;
  for (unsigned host = 0; host < fleet.hosts; ++host) {
    auto& its = times.emplace_back();
    for (sim::DomainOutcome const& domain : sim::Host(scenario, fleet.choice, host + 1).run().domains)
      its.push_back(run_time(domain));
  }
  return times;
}

void add_utilization(std::vector<std::array<double, 3>>& sums, Utilization const& of) {
  for (std::size_t at = 0; at < sums.size(); ++at) {
    std::vector<Nanos> const& busy = of.busy()[at];
    auto const [least, most] = std::ranges::minmax(busy);
    Nanos const all = std::accumulate(busy.begin(), busy.end(), Nanos{0});
    sums[at][0] += Seconds(least) / interval;
    sums[at][1] += Seconds(all) / interval / static_cast<double>(busy.size());
    sums[at][2] += Seconds(most) / interval;
  }
}

Result run(Fleet const& fleet, Scenario const& scenario, RunTimes const& alone) {
  auto const began = std::chrono::steady_clock::now();
  auto const intervals = static_cast<std::size_t>((scenario.warm_up + scenario.duration) / interval);
  std::vector<std::unique_ptr<Utilization>> utilizations;
  std::vector<std::unique_ptr<sim::Host>> hosts; // all of them, before the first one runs
  for (unsigned host = 0; host < fleet.hosts; ++host) {
    utilizations.push_back(std::make_unique<Utilization>(scenario.accelerators.size(), intervals));
    hosts.push_back(std::make_unique<sim::Host>(scenario, fleet.choice, host + 1, utilizations.back().get()));
  }
  Result result;
  result.utilization.resize(intervals);
  for (unsigned host = 0; host < fleet.hosts; ++host) {
    sim::Outcome const outcome = hosts[host]->run();
    result.events += outcome.events;
    for (std::size_t i = 0; i < outcome.domains.size(); ++i) {
      auto const time = run_time(outcome.domains[i]);
      if (time && alone[host][i])
        result.slowdowns.push_back(Seconds(*time) / *alone[host][i]);
      else
        ++result.stayed;
    }
    add_utilization(result.utilization, *utilizations[host]);
  }
  for (auto& values : result.utilization)
    for (double& value : values)
      value /= fleet.hosts;
  std::ranges::sort(result.slowdowns);
  result.seconds = Seconds(std::chrono::steady_clock::now() - began).count();
  return result;
}

double quantile(std::vector<double> const& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

double max_memory_gib() { // of this process, until now
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024.0 * 1024.0);
}

void print(std::string_view placement, Result const& result) {
  std::array<double, 3> mean{};
  for (auto const& values : result.utilization)
    for (std::size_t i = 0; i < mean.size(); ++i)
      mean[i] += values[i] / static_cast<double>(result.utilization.size());
  fmt::print("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.1f} % | {:.1f} % | {:.1f} % | {:.0f} million | "
             "{:.0f} s | {:.1f} "
             "million | {:.1f} GiB |\n",
             placement, result.slowdowns.size(), result.stayed, quantile(result.slowdowns, 0.5),
             quantile(result.slowdowns, 0.9), quantile(result.slowdowns, 0.99), 100 * mean[0], 100 * mean[1],
             100 * mean[2], static_cast<double>(result.events) / 1e6, result.seconds,
             static_cast<double>(result.events) / result.seconds / 1e6, max_memory_gib());
  std::fflush(stdout);
}

// For docs/diagrams/fleet.py.
void write(std::string const& path, std::vector<std::pair<std::string, Result>> const& results) {
  fmt::ostream file = fmt::output_file(path);
  file.print(
      "# written by bench/fleet: what, placement, and second, least, mean and most, or part and ratio\n");
  for (auto const& [placement, result] : results) {
    for (std::size_t at = 0; at < result.utilization.size(); ++at) {
      auto const& [least, mean, most] = result.utilization[at];
      file.print("utilization,{},{:.2f},{:.4f},{:.4f},{:.4f}\n", placement,
                 Seconds(interval).count() * (static_cast<double>(at) + 0.5), least, mean, most);
    }
    for (int permille = 0; permille <= 1000; permille += permille < 900 ? 20 : 2)
      file.print("slowdown,{},{:.3f},{:.3f}\n", placement, permille / 1000.0,
                 quantile(result.slowdowns, permille / 1000.0));
  }
}

Scenario scenario_in(std::string const& path) {
  auto const scenarios = sim::read_scenarios(path, {});
  if (!scenarios) throw std::runtime_error(scenarios.error());
  return scenarios->front();
}

void run(std::string const& path, std::string const& policy, unsigned hosts, std::string const& data) {
  Scenario const scenario = scenario_in(path);
  auto const chosen = policies::choose(policy, {}, {.tick = scenario.tick});
  if (auto const* invalid = std::get_if<policies::InvalidChoice>(&chosen))
    throw std::runtime_error(invalid->text);
  Fleet const fleet{scenario, std::get<policies::Choice>(chosen), hosts};
  RunTimes const alone = run_times_undisturbed(fleet);
  fmt::print("{} hosts of {} accelerators, {} domains on each, policy {}; run times over those alone:\n\n",
             hosts, scenario.accelerators.size(), scenario.domains.size(), policy);
  fmt::print(
      "| placement | left | stayed | median | 90 % | 99 % | least used accelerator of a host | mean | most "
      "used | "
      "events | took | events a second | memory |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  std::vector<std::pair<std::string, Result>> results;
  for (auto const& [name, placed] : {std::pair("rule", scenario), std::pair("in turn", in_turn(scenario))}) {
    results.emplace_back(name, run(fleet, placed, alone));
    print(name, results.back().second);
  }
  if (!data.empty()) write(data, results);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs a fleet of hosts, all in memory at once, with domains that come and leave.");
  std::string scenario = PEGASUS_SOURCE_DIRECTORY "/bench/fleet.toml", policy = "fair", data;
  unsigned hosts = 1'000;
  app.add_option("SCENARIO", scenario, "a host of it; each has a seed of its own")->capture_default_str();
  app.add_option("--hosts", hosts)->check(CLI::Range(1, 100'000))->capture_default_str();
  app.add_option("--policy", policy)->capture_default_str();
  app.add_option("--data", data, "a file to write, for docs/diagrams/fleet.py");
  CLI11_PARSE(app, argc, argv);
  try {
    run(scenario, policy, hosts, data);
  } catch (std::exception const& error) {
    fmt::print(stderr, "fleet: {}\n", error.what());
    return 1;
  }
}
