// SPDX-License-Identifier: Apache-2.0
// What policies promise of random scenarios: no idle device, shares, and progress of each domain. The bounds are
// those that the policies' headers and docs/design/scheduling.md state.
#include "sim/testing/bounds.h"
#include "sim/testing/fewer_seeds.h"
#include "sim/testing/property.h"
#include "sim/testing/scenario_generator.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

using namespace pegasus::sim;
using namespace pegasus::sim::testing;
using namespace std::chrono_literals;
using pegasus::policies::Choice;
using pegasus::policies::Entry;

namespace {

constexpr int scenarios_per_policy = fewer_seeds ? 4 : 40;

// How long a call may keep others waiting: to its end, with the change to its context, or until its task is killed, for
// which the dispatcher looks each 20 ms.
Nanos longest_overrun(Scenario const& scenario) {
  Nanos longest{0};
  for (DomainScenario const& domain : scenario.domains)
    longest = std::max(longest, longest_call(domain));
  Nanos const lasts = longest_change(scenario) + longest;
  return std::min(lasts, scenario.runaway + 20ms + scenario.costs.killing) + handover(scenario.costs);
}

// The device changes hands, or waits for a domain that is expected back (`hold`). A bar ends when none of those who
// were kept waiting has wanted the device for as long.
Nanos longest_idle(Scenario const& scenario, Choice const& policy) {
  Nanos const overrun = longest_overrun(scenario);
  Nanos const bar = overrun > tolerated(scenario) ? overrun : 0ms;
  return handover(scenario.costs) + policy.tunables.hold + bar;
}

std::string idle_device(Scenario const& scenario, Choice const& policy, std::uint64_t seed) {
  Nanos const bound = longest_idle(scenario, policy);
  Outcome const outcome = Host(scenario, policy, seed).run();
  for (AcceleratorOutcome const& each : outcome.accelerators)
    if (each.idle_with_calls > bound)
      return fmt::format("accelerator {} was idle for {} ns while a domain had calls, more than {} ns",
                         &each - outcome.accelerators.data(), each.idle_with_calls.count(), bound.count());
  return "";
}

} // namespace

TEST_CASE("under a work-conserving policy no accelerator is idle while a domain on it has calls") {
  std::uint64_t seed = 3001;
  for (int n = 0; n < scenarios_per_policy; ++n)
    for (Entry const& entry : pegasus::policies::registry()) {
      if (!entry.work_conserving) continue;
      ScenarioGenerator generator(seed);
      Scenario scenario = generator.scenario();
      scenario.duration = 1s;
      Choice policy = generator.policy(scenario);
      policy.policy = &entry;
      check_property(scenario, policy, seed++, idle_device);
    }
}

namespace {

// The domain's part of the device while all have work.
double part_of(Scenario const& scenario, Choice const& policy, DomainScenario const& domain) {
  double all = 0;
  for (DomainScenario const& each : scenario.domains)
    all += weight(policy, each);
  return weight(policy, domain) / all;
}

// How many domains may have kernels for which they are barred. Under fair, and under eevdf where a change of the owner
// costs nothing, what a domain is owed outlasts a bar. For the others one that is barred has no calls: if another one's
// kernel is longer than the bar, it is behind by more than they let a domain without calls save, and loses the rest.
std::size_t most_lengthy(Choice const& policy) { return policy.policy->name == "fair" ? 3 : 1; }

bool long_kernels_are_few(Scenario const& scenario, Choice const& policy) {
  auto const lengthy = std::ranges::count_if(scenario.domains, [&](DomainScenario const& domain) {
    return longest_call(domain) + handover(scenario.costs) > tolerated(scenario);
  });
  return static_cast<std::size_t>(lengthy) <= most_lengthy(policy);
}

// Each has a pCPU and one program that launches and synchronizes without a pause.
bool all_have_work(Scenario const& scenario) {
  auto const has_work = [](DomainScenario const& domain) {
    bool launches = false, others = false;
    each_step(domain, [&](Step const& step, Nanos) {
      launches = launches || (step.kind == Step::Kind::launch && step.span >= 100us);
      others = others || (step.kind != Step::Kind::launch && step.kind != Step::Kind::sync);
    });
    return launches && !others && domain.programs.size() == 1;
  };
  return scenario.cpus.pcpus >= scenario.domains.size() && std::ranges::all_of(scenario.domains, has_work);
}

// How far a domain's device time may be from its part of all: each domain may be ahead by a time slice
// and a kernel.
Nanos allowance(Scenario const& scenario, Choice const& policy, DomainScenario const& domain) {
  double const part = part_of(scenario, policy, domain);
  Nanos sum{0};
  for (DomainScenario const& each : scenario.domains) {
    Nanos const ahead = longest_slice(scenario, policy, each) + longest_call(each);
    sum += times(ahead, &each == &domain ? 1 - part : part);
  }
  return sum;
}

// A domain's part is five times as long as what it may be off.
Nanos long_enough(Scenario const& scenario, Choice const& policy) {
  Nanos longest{0};
  for (DomainScenario const& domain : scenario.domains)
    longest =
        std::max(longest, times(allowance(scenario, policy, domain), 5 / part_of(scenario, policy, domain)));
  return longest;
}

bool promises_parts(Scenario const& scenario, Choice const& policy) {
  return all_have_work(scenario) && long_kernels_are_few(scenario, policy);
}

std::string wrong_share(Scenario const& scenario, Choice const& policy, std::uint64_t seed) {
  if (!promises_parts(scenario, policy)) return "";
  Outcome const outcome = Host(scenario, policy, seed).run();
  AcceleratorOutcome const& device = outcome.accelerators[0];
  // Who leaves the device is charged until pegasusd sees that it has. A time slice lasts for a tenth of a tick at
  // least (slice_limits.h), a sample of dfq for half a tick.
  Nanos const shortest = scenario.tick / (policy.policy->name == "dfq" ? 2 : 10);
  auto const changes =
      std::min<std::int64_t>(static_cast<std::int64_t>(device.switches), scenario.duration / shortest);
  Nanos const charged = changes * kick(scenario.costs);
  for (std::size_t i = 0; i < scenario.domains.size(); ++i) {
    DomainScenario const& domain = scenario.domains[i];
    Nanos const part = times(device.busy, part_of(scenario, policy, domain));
    Nanos const bound = allowance(scenario, policy, domain) + charged;
    Nanos const received = outcome.domains[i].device;
    if (received < part - bound || received > part + bound)
      return fmt::format("{} received {} ns, not {} ns to within {} ns", domain.name, received.count(),
                         part.count(), bound.count());
  }
  return "";
}

} // namespace

TEST_CASE(
    "domains that always have work receive their parts of the device, whatever their kernels' lengths") {
  std::uint64_t seed = 4001;
  for (int n = 0; n < scenarios_per_policy; ++n)
    for (Entry const& entry : pegasus::policies::registry()) {
      if (!entry.accounts || entry.name == "cosched") continue; // which promises no shares
      ScenarioGenerator generator(seed);
      Choice policy{&entry, {}};
      Scenario scenario = generator.greedy_domains(most_lengthy(policy));
      policy.tunables.tick = scenario.tick;
      scenario.duration = long_enough(scenario, policy);
      check_property(scenario, policy, seed++, wrong_share);
    }
}

namespace {

// Under these, with tunables as an operator writes them, each domain that always has work does its part of what it does
// alone, less what changes of the owner cost; under dfq these come with each kernel. A program that computes between
// its calls may do less: its domain loses the device in each gap.
constexpr std::array promise_progress{"rr",   "accc",  "xc",   "slaf",           "augc",
                                      "fair", "eevdf", "lead", "fair hold=auto", "eevdf hold=auto"};

Choice choice_of(std::string const& option) {
  std::istringstream words(option);
  std::string name;
  words >> name;
  std::vector<std::string> const settings{std::istream_iterator<std::string>(words), {}};
  auto const choice = pegasus::policies::choose(name, settings, {});
  REQUIRE(std::holds_alternative<Choice>(choice));
  return std::get<Choice>(choice);
}

// What changes of the owner leave of the time: one comes after a tenth of a tick at the soonest (slice_limits.h).
double used_part(Scenario const& scenario) {
  Nanos const granularity = scenario.tick / 10;
  return over(granularity, granularity + longest_change(scenario) + handover(scenario.costs));
}

std::string little_progress(Scenario const& scenario, Choice const& policy, std::uint64_t seed) {
  if (!promises_parts(scenario, policy)) return "";
  Outcome const outcome = Host(scenario, policy, seed).run();
  for (std::size_t i = 0; i < scenario.domains.size(); ++i) {
    DomainScenario const& domain = scenario.domains[i];
    Nanos const off = allowance(scenario, policy, domain) + longest_call(domain); // a kernel has not ended
    double const least =
        used_part(scenario) * part_of(scenario, policy, domain) - over(off, scenario.duration);
    if (double const found = progress(scenario, outcome, i, seed); found < least)
      return fmt::format("{} does {:.4f} of what it does alone, less than {:.4f}", domain.name, found, least);
  }
  return "";
}

} // namespace

TEST_CASE("each domain that always has work does its part of what it does alone") {
  std::uint64_t seed = 5001;
  for (int n = 0; n < scenarios_per_policy; ++n)
    for (std::string const option : promise_progress) {
      ScenarioGenerator generator(seed);
      Choice policy = choice_of(option);
      Scenario scenario = generator.greedy_domains(most_lengthy(policy));
      policy.tunables.tick = scenario.tick;
      scenario.duration = long_enough(scenario, policy);
      check_property(scenario, policy, seed++, little_progress);
    }
}
