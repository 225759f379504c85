// SPDX-License-Identifier: Apache-2.0
#include "sim/testing/shrink.h"

#include <algorithm>
#include <utility>

namespace pegasus::sim::testing {
namespace {

using Fails = std::function<bool(Scenario const&)>;

// Tries changes of one scenario, one at a time, and keeps those after which it still fails.
class Shrinker {
public:
  Shrinker(Scenario scenario, Fails const& fails) : scenario_(std::move(scenario)), fails_(fails) {}

  Scenario smallest() && {
    do {
      progress_ = false;
      remove_entries();
      reset_settings();
      halve_amounts();
    } while (progress_);
    return std::move(scenario_);
  }

private:
  // Makes the change; takes it back if nothing fails any more.
  template <class Change> bool attempt(Change change) {
    Scenario changed = scenario_;
    change(changed);
    if (!fails_(changed)) return false;
    scenario_ = std::move(changed);
    return progress_ = true;
  }

  // An owner is a function that finds the same part in any scenario of this form: a domain, a program, a phase.
  static Scenario& itself(Scenario& scenario) { return scenario; }

  // Removes the entries of the owner's list that are not needed, down to `least` entries.
  template <class Owner, class Entries> void remove_from(Owner owner, Entries list, std::size_t least) {
    for (std::size_t i = (owner(scenario_).*list).size(); i-- > 0;)
      if ((owner(scenario_).*list).size() > least)
        attempt([&](Scenario& changed) {
          auto& entries = owner(changed).*list;
          entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
        });
  }

  // Sets the owner's member to `value`, its default.
  template <class Owner, class Part, class Member>
  void reset(Owner owner, Member Part::*member, Member const& value) {
    if (owner(scenario_).*member != value)
      attempt([&](Scenario& changed) { owner(changed).*member = value; });
  }

  // Halves the owner's member while that fails, to multiples of `least`.
  template <class Owner, class Part, class Member>
  void halve(Owner owner, Member Part::*member, Member const& least) {
    for (;;) {
      Member const now = owner(scenario_).*member;
      Member const half = std::max(least, least * (now / least / 2));
      if (half >= now || !attempt([&](Scenario& changed) { owner(changed).*member = half; })) return;
    }
  }

  template <class Visit> void each_domain(Visit visit) {
    for (std::size_t d = 0; d < scenario_.domains.size(); ++d)
      visit([d](Scenario& scenario) -> DomainScenario& { return scenario.domains[d]; });
  }
  template <class Visit> void each_program(Visit visit) {
    each_domain([&](auto domain) {
      for (std::size_t p = 0; p < domain(scenario_).programs.size(); ++p)
        visit([domain, p](Scenario& scenario) -> ProgramSettings& { return domain(scenario).programs[p]; });
    });
  }
  template <class Visit> void each_phase(Visit visit) {
    each_program([&](auto program) {
      for (std::size_t n = 0; n < program(scenario_).phases.size(); ++n)
        visit([program, n](Scenario& scenario) -> Phase& { return program(scenario).phases[n]; });
    });
  }

  void remove_entries() {
    remove_from(itself, &Scenario::domains, 1);
    each_domain([&](auto domain) { remove_from(domain, &DomainScenario::programs, 0); });
    each_program([&](auto program) { remove_from(program, &ProgramSettings::phases, 1); });
    each_phase([&](auto phase) { remove_steps(phase); });
    remove_accelerators();
  }

  // A program that only synchronizes never ends a round.
  template <class Owner> void remove_steps(Owner phase) {
    auto const takes_time = [](Step const& step) { return step.kind != Step::Kind::sync; };
    for (std::size_t i = phase(scenario_).steps.size(); i-- > 0;) {
      std::vector<Step> remaining = phase(scenario_).steps;
      remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(i));
      if (std::ranges::any_of(remaining, takes_time))
        attempt([&](Scenario& changed) { phase(changed).steps = remaining; });
    }
  }

  // With one less, those that use a later one use the one before it.
  void remove_accelerators() {
    for (std::size_t i = scenario_.accelerators.size(); i-- > 0;)
      if (scenario_.accelerators.size() > 1)
        attempt([&](Scenario& changed) {
          changed.accelerators.erase(changed.accelerators.begin() + static_cast<std::ptrdiff_t>(i));
          for (DomainScenario& domain : changed.domains)
            if (auto const used = domain.accelerator.accelerator.value_or(0); used > 0 && used >= i)
              domain.accelerator.accelerator = used - 1;
        });
  }

  void reset_settings() {
    Scenario const usual;
    auto const cpus = [](Scenario& scenario) -> PoolSettings& { return scenario.cpus; };
    reset(itself, &Scenario::tick, usual.tick);
    reset(itself, &Scenario::runaway, usual.runaway);
    reset(cpus, &PoolSettings::slice, usual.cpus.slice);
    reset(cpus, &PoolSettings::ratelimit, usual.cpus.ratelimit);
    reset(itself, &Scenario::dom0, usual.dom0);
    for (std::size_t a = 0; a < scenario_.accelerators.size(); ++a)
      reset_accelerator([a](Scenario& scenario) -> Engine::Options& { return scenario.accelerators[a]; });
    each_domain([&](auto domain) { reset_domain(domain); });
    each_program([&](auto program) {
      ProgramSettings const plain;
      reset(program, &ProgramSettings::start, plain.start);
      reset(program, &ProgramSettings::spread, plain.spread);
      reset(program, &ProgramSettings::weight, plain.weight);
      reset(program, &ProgramSettings::wait, plain.wait);
    });
    reset(itself, &Scenario::warm_up, Nanos{0});
  }

  template <class Owner> void reset_accelerator(Owner accelerator) {
    reset(accelerator, &Engine::Options::switch_cost, Nanos{0});
    reset(accelerator, &Engine::Options::contention, Nanos{0});
    reset(accelerator, &Engine::Options::preempt, Nanos{0});
    reset(accelerator, &Engine::Options::copy_engines, 0u);
  }

  template <class Owner> void reset_domain(Owner domain) {
    DomainScenario const plain;
    auto const cpu = [domain](Scenario& scenario) -> VcpuSettings& { return domain(scenario).cpu; };
    auto const settings = [domain](Scenario& scenario) -> control::Settings& {
      return domain(scenario).accelerator;
    };
    reset(domain, &DomainScenario::vcpus, plain.vcpus);
    reset(cpu, &VcpuSettings::weight, plain.cpu.weight);
    reset(cpu, &VcpuSettings::cap, plain.cpu.cap);
    reset(cpu, &VcpuSettings::pin, plain.cpu.pin);
    reset(settings, &control::Settings::credits, plain.accelerator.credits);
    reset(settings, &control::Settings::slo, plain.accelerator.slo);
    reset(domain, &DomainScenario::nested, plain.nested);
  }

  void halve_amounts() {
    halve(itself, &Scenario::duration, Nanos(std::chrono::milliseconds(1)));
    halve_pcpus();
    each_phase([&](auto phase) {
      halve(phase, &Phase::rounds, std::uint64_t{1});
      for (std::size_t s = 0; s < phase(scenario_).steps.size(); ++s) {
        auto const step = [phase, s](Scenario& scenario) -> Step& { return phase(scenario).steps[s]; };
        halve(step, &Step::count, 1u);
        if (step(scenario_).kind != Step::Kind::sync)
          halve(step, &Step::span, Nanos(std::chrono::microseconds(1)));
      }
    });
  }

  // Only as many as the domains are pinned to.
  void halve_pcpus() {
    unsigned needed = 1;
    if (scenario_.dom0 && scenario_.dom0->own_pcpus == 0)
      for (unsigned const pcpu : scenario_.dom0->cpu.pin)
        needed = std::max(needed, pcpu + 1);
    for (DomainScenario const& domain : scenario_.domains)
      for (unsigned const pcpu : domain.cpu.pin)
        needed = std::max(needed, pcpu + 1);
    halve([](Scenario& scenario) -> PoolSettings& { return scenario.cpus; }, &PoolSettings::pcpus, needed);
  }

  Scenario scenario_;
  Fails const& fails_;
  bool progress_ = false;
};

} // namespace

Scenario shrink(Scenario scenario, Fails const& fails) {
  return Shrinker(std::move(scenario), fails).smallest();
}

} // namespace pegasus::sim::testing
