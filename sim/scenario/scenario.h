// SPDX-License-Identifier: Apache-2.0
// What is simulated: a host's pCPUs and accelerators, its domains and their programs.
#pragma once

#include "control/settings.h"
#include "sim/accelerator/engine.h"
#include "sim/costs.h"
#include "sim/cpu/pool.h"
#include "sim/cpu/schedule_view.h"
#include "sim/dom0/dom0.h"
#include "sim/guest/nested_scheduler.h"
#include "sim/guest/program.h"
#include "sim/scenario/recorded.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pegasus::sim {

using policies::DomainId;

struct DomainScenario {
  std::string name;
  std::uint32_t vcpus = 1;
  VcpuSettings cpu; // weight, cap, pinning
  control::Settings accelerator;
  std::vector<ProgramSettings> programs; // program n runs on vCPU n modulo their number
  std::optional<NestedSettings> nested;  // its own scheduler; without, its programs are never stopped

  bool operator==(DomainScenario const&) const = default;
};

// What a figure shows of a run; report/metrics.h has the values.
enum class Measure {
  mmr,              // min-max ratio
  overhead,         // aggregated
  utilization,      // of each accelerator: the part of the time in which it executes
  run_time,         // of each domain, over its run time alone on this host
  program_run_time, // the same of each program
  work,             // of each domain until its programs ended, over what it does alone on this host
  mean_work,        // ... the harmonic mean of all domains' work done
  latency,          // of each domain: mean of its waits, in milliseconds
  deviation,        // ... and their standard deviation
  median,           // ... and percentiles
  p99,
  p999,
  kernels, // of each domain, in a second
  copies,  // of each accelerator, granules copied in for a change of its owner
  copied,  // ... as MiB
};
inline constexpr std::array<std::pair<std::string_view, Measure>, 15> measures{
    {{"min-max ratio", Measure::mmr},
     {"overhead", Measure::overhead},
     {"utilization", Measure::utilization},
     {"run time", Measure::run_time},
     {"program run time", Measure::program_run_time},
     {"work done", Measure::work},
     {"harmonic mean", Measure::mean_work},
     {"latency", Measure::latency},
     {"latency deviation", Measure::deviation},
     {"latency p50", Measure::median},
     {"latency p99", Measure::p99},
     {"latency p99.9", Measure::p999},
     {"kernels per second", Measure::kernels},
     {"copies per turn", Measure::copies},
     {"MiB copied per turn", Measure::copied}}};

struct Scenario {
  std::string title;
  std::string variant;               // one of `vary`, for which `$` stands; empty without `vary`
  std::vector<std::string> settings; // what was set on the command line: "cpus.count=2"
  std::vector<Measure> shows{Measure::mmr, Measure::overhead};
  std::vector<std::string> policies;             // "accc", "fair slice=2ms"
  Nanos duration{std::chrono::seconds(2)};       // of the measurement
  Nanos warm_up{std::chrono::milliseconds(200)}; // before it
  Nanos tick{std::chrono::milliseconds(10)};     // of the policies
  Nanos runaway{std::chrono::seconds(10)};       // as pegasusd --runaway
  bool reservations = true; // SLOs are kept under every policy, not only under one that keeps them itself
  PoolSettings cpus;
  ScheduleSettings schedule;        // of the guests on these pCPUs, as the policies see it
  std::optional<Dom0Settings> dom0; // nullopt: each worker always has a pCPU
  std::vector<Engine::Options> accelerators;
  std::vector<DomainScenario> domains;
  std::optional<Recorded> recorded; // if it is a recording of a real host
  Costs costs;
};

// The domain at that position of the scenario.
[[nodiscard]] inline DomainId domain_id(std::size_t index) {
  return DomainId{static_cast<std::uint32_t>(index + 1)};
}
[[nodiscard]] inline std::size_t index_of(DomainId domain) { return static_cast<std::size_t>(domain) - 1; }

// The accelerator that the domain is always on; nullopt: pegasusd's rule chooses one of several
// when it comes.
[[nodiscard]] inline std::optional<std::size_t> fixed_accelerator(Scenario const& scenario,
                                                                  DomainScenario const& domain) {
  if (domain.accelerator.accelerator) return *domain.accelerator.accelerator;
  return scenario.accelerators.size() == 1 ? std::optional<std::size_t>(0) : std::nullopt;
}

// Of the guests, and after them those that are Dom0's own.
[[nodiscard]] inline unsigned all_pcpus(Scenario const& scenario) {
  return scenario.cpus.pcpus + (scenario.dom0 ? scenario.dom0->own_pcpus : 0);
}

// Limits of what a scenario may ask for.
inline constexpr std::size_t max_accelerators = 1024;
inline constexpr std::size_t max_domains = 100'000;
inline constexpr std::uint64_t max_programs = 1024; // of one kind in a domain
inline constexpr std::uint32_t max_vcpus = 128;
inline constexpr std::uint64_t max_count = 1'000'000'000; // of requests, rounds and what varies
inline constexpr Nanos max_duration{std::chrono::hours(1)};
inline constexpr Nanos max_span{std::chrono::minutes(10)}; // of other times

} // namespace pegasus::sim
