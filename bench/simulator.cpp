// SPDX-License-Identifier: Apache-2.0
// Measures the speed of pegasus-sim's model: timers that fire in a second of CPU time of one core, for
// built-in scenarios, for hosts of 10 to 1,000 domains, and for a thousand hosts one after the other.
#include "policies/registry.h"
#include "sim/host.h"
#include "sim/scenario/builtin.h"
#include "sim/scenario/scenario_file.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace pegasus;
using sim::Scenario;

constexpr char help[] =
    "usage: simulator\n\nPrints how many events the simulator handles in a second of CPU time.\n";
constexpr double goal = 1e6;        // events in a second of CPU time
constexpr double long_enough = 0.5; // seconds of CPU time for one figure

constexpr std::string_view builtins[] = {"shares", "wake-up", "coordination", "fairgv-fig9-bs",
                                         "pegasus-fig8-equal"};
constexpr std::string_view policies_of_builtins[] = {"none", "accc", "fair", "lead"};
constexpr unsigned sizes[] = {10, 100, 1'000};
constexpr unsigned hosts = 1'000;

// Of this process: what others do on the machine is not in it, but for what they take from the caches.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Scenario first_of(std::string_view text, std::string_view name) {
  auto const scenarios = sim::parse_scenarios(text, name);
  if (!scenarios) throw std::runtime_error(scenarios.error());
  return scenarios->front();
}

Scenario builtin(std::string_view name) {
  auto const found = std::ranges::find(sim::builtin_scenarios(), name, &sim::BuiltinScenario::name);
  if (found == sim::builtin_scenarios().end())
    throw std::runtime_error(fmt::format("no built-in scenario '{}'", name));
  return first_of(found->text, name);
}

// Domains that compute for 500 us and then call for 100 us, each with a pCPU.
Scenario synchronous_host(unsigned domains, unsigned pcpus, unsigned accelerators,
                          std::string_view duration) {
  std::string text = fmt::format("duration = \"{}\"\nwarm_up = \"0\"\n[cpus]\ncount = {}\n", duration, pcpus);
  for (unsigned i = 0; i < accelerators; ++i)
    text += "[[accelerator]]\nswitch_cost = \"20us\"\n";
  for (unsigned i = 0; i < accelerators; ++i)
    text += fmt::format("[[domain]]\nname = \"d{}\"\naccelerator = {}\ncopies = {}\n[[domain.program]]\n"
                        "spread = 0.2\nsteps = [\"cpu 500us\", \"call 100us\"]\n",
                        i, i, domains / accelerators);
  return first_of(text, "synchronous_host");
}

// Runs `count` hosts of this scenario, and more until it took long enough. A host's construction counts.
void measure(std::string const& name, Scenario const& scenario, std::string_view policy, unsigned count = 1) {
  policies::Choice const choice{policies::find(policy), {.tick = scenario.tick}};
  std::uint64_t events = 0, seed = 0;
  double const began = cpu_seconds();
  double taken = 0;
  do {
    for (unsigned i = 0; i < count; ++i)
      events += sim::Host(scenario, choice, ++seed).run().events;
    taken = cpu_seconds() - began;
  } while (taken < long_enough);
  double const rate = static_cast<double>(events) / taken;
  fmt::print("| {} | {} | {} | {:.0f} ns | {:.2f} million | {:.2f} |\n", name, policy, events, 1e9 / rate,
             rate / 1e6, rate / goal);
  std::fflush(stdout);
}

void run() {
  fmt::print("| scenario | policy | events | an event | events in a second | of the goal "
             "|\n|---|---|---|---|---|---|\n");
  for (std::string_view const name : builtins)
    for (std::string_view const policy : policies_of_builtins)
      measure(std::string(name), builtin(name), policy);
  for (std::string_view const policy : policies_of_builtins) {
    for (unsigned const size : sizes)
      measure(fmt::format("{0} domains, {0} pCPUs, 1 accelerator", size),
              synchronous_host(size, size, 1, "1s"), policy);
    for (unsigned const size : sizes)
      measure(fmt::format("{0} domains, {0} pCPUs, {1} accelerators", size, size / 5),
              synchronous_host(size, size, size / 5, "200ms"), policy);
    for (unsigned const size : sizes)
      measure(fmt::format("{} domains, 4 pCPUs, 1 accelerator", size), synchronous_host(size, 4, 1, "1s"),
              policy);
    measure(fmt::format("{} hosts of 4 domains, one after the other", hosts),
            synchronous_host(4, 2, 1, "100ms"), policy, hosts);
  }
}

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::fputs(help, stdout);
    return 0;
  }
  try {
    run();
  } catch (std::exception const& error) {
    fmt::print(stderr, "simulator: {}\n", error.what());
    return 1;
  }
}
