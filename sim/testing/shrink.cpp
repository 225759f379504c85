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
      smaller_ = false;
      fewer();
      simpler();
      shorter();
    } while (smaller_);
    return std::move(scenario_);
  }

private:
  // Makes the change; takes it back if nothing fails any more.
  template <class Change> bool attempt(Change change) {
    Scenario changed = scenario_;
    change(changed);
    if (!fails_(changed)) return false;
    scenario_ = std::move(changed);
    return smaller_ = true;
  }

  // Without each entry of the list that `list(scenario)` is, down to `least` entries.
  template <class List> void remove_from(List list, std::size_t least) {
    for (std::size_t i = list(scenario_).size(); i-- > 0;)
      if (list(scenario_).size() > least)
        attempt([&](Scenario& changed) {
          list(changed).erase(list(changed).begin() + static_cast<std::ptrdiff_t>(i));
        });
  }

  // `member(scenario)` as it is by default.
  template <class Member, class Value> void reset(Member member, Value const& value) {
    if (member(scenario_) != value) attempt([&](Scenario& changed) { member(changed) = value; });
  }

  // Half of it as long as that fails, in whole units of `least`, which it is at least.
  template <class Member, class Value> void halve(Member member, Value const& least) {
    for (;;) {
      Value const half = std::max(least, least * (member(scenario_) / least / 2));
      if (half >= member(scenario_) || !attempt([&](Scenario& changed) { member(changed) = half; })) return;
    }
  }

  // Calls `visit` with what gives the same program or phase of any scenario of this form.
  template <class Visit> void each_program(Visit visit) {
    for (std::size_t d = 0; d < scenario_.domains.size(); ++d)
      for (std::size_t p = 0; p < scenario_.domains[d].programs.size(); ++p)
        visit([d, p](Scenario& of) -> ProgramSettings& { return of.domains[d].programs[p]; });
  }
  template <class Visit> void each_phase(Visit visit) {
    each_program([&](auto program) {
      for (std::size_t n = 0; n < program(scenario_).phases.size(); ++n)
        visit([program, n](Scenario& of) -> Phase& { return program(of).phases[n]; });
    });
  }

  void fewer() {
    remove_from(
        [](Scenario & of) -> auto& { return of.domains; }, 1);
    for (std::size_t d = 0; d < scenario_.domains.size(); ++d)
      remove_from(
          [d](Scenario & of) -> auto& { return of.domains[d].programs; }, 0);
    each_program([&](auto program) {
      remove_from(
          [program](Scenario & of) -> auto& { return program(of).phases; }, 1);
    });
    each_phase([&](auto phase) { remove_steps(phase); });
    remove_accelerators();
  }

  // A program that only synchronizes never ends a round.
  template <class APhase> void remove_steps(APhase phase) {
    auto const takes_time = [](Step const& step) { return step.kind != Step::Kind::sync; };
    for (std::size_t i = phase(scenario_).steps.size(); i-- > 0;) {
      std::vector<Step> left = phase(scenario_).steps;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      if (std::ranges::any_of(left, takes_time))
        attempt([&](Scenario& changed) { phase(changed).steps = left; });
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

  void simpler() {
    Scenario const usual;
    reset(
        [](Scenario & of) -> auto& { return of.tick; }, usual.tick);
    reset(
        [](Scenario & of) -> auto& { return of.runaway; }, usual.runaway);
    reset(
        [](Scenario & of) -> auto& { return of.cpus.slice; }, usual.cpus.slice);
    reset(
        [](Scenario & of) -> auto& { return of.cpus.ratelimit; }, usual.cpus.ratelimit);
    reset(
        [](Scenario & of) -> auto& { return of.dom0; }, std::optional<Dom0Settings>{});
    for (std::size_t a = 0; a < scenario_.accelerators.size(); ++a) {
      reset(
          [a](Scenario & of) -> auto& { return of.accelerators[a].switch_cost; }, Nanos{0});
      reset(
          [a](Scenario & of) -> auto& { return of.accelerators[a].contention; }, Nanos{0});
      reset(
          [a](Scenario & of) -> auto& { return of.accelerators[a].preempt; }, Nanos{0});
      reset(
          [a](Scenario & of) -> auto& { return of.accelerators[a].copy_engines; }, 0u);
    }
    for (std::size_t d = 0; d < scenario_.domains.size(); ++d) {
      DomainScenario const plain;
      reset(
          [d](Scenario & of) -> auto& { return of.domains[d].vcpus; }, plain.vcpus);
      reset(
          [d](Scenario & of) -> auto& { return of.domains[d].cpu.weight; }, plain.cpu.weight);
      reset(
          [d](Scenario & of) -> auto& { return of.domains[d].cpu.cap; }, plain.cpu.cap);
      reset(
          [d](Scenario & of) -> auto& { return of.domains[d].cpu.pin; }, plain.cpu.pin);
      reset(
          [d](Scenario & of) -> auto& { return of.domains[d].accelerator.credits; },
          plain.accelerator.credits);
      reset(
          [d](Scenario & of) -> auto& { return of.domains[d].accelerator.slo; }, plain.accelerator.slo);
      reset(
          [d](Scenario & of) -> auto& { return of.domains[d].nested; }, plain.nested);
    }
    each_program([&](auto program) {
      reset(
          [program](Scenario & of) -> auto& { return program(of).start; }, Nanos{0});
      reset(
          [program](Scenario & of) -> auto& { return program(of).spread; }, 0.0);
      reset(
          [program](Scenario & of) -> auto& { return program(of).weight; }, 1.0);
      reset(
          [program](Scenario & of) -> auto& { return program(of).wait; }, std::optional<Wait>{});
    });
    reset(
        [](Scenario & of) -> auto& { return of.warm_up; }, Nanos{0});
  }

  void shorter() {
    halve(
        [](Scenario & of) -> auto& { return of.duration; }, Nanos(std::chrono::milliseconds(1)));
    halve_pcpus();
    each_phase([&](auto phase) {
      halve(
          [phase](Scenario & of) -> auto& { return phase(of).rounds; }, std::uint64_t{1});
      for (std::size_t s = 0; s < phase(scenario_).steps.size(); ++s) {
        auto const step = [phase, s](Scenario& of) -> Step& { return phase(of).steps[s]; };
        halve(
            [step](Scenario & of) -> auto& { return step(of).count; }, 1u);
        if (step(scenario_).kind != Step::Kind::sync)
          halve(
              [step](Scenario & of) -> auto& { return step(of).span; }, Nanos(std::chrono::microseconds(1)));
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
    halve(
        [](Scenario & of) -> auto& { return of.cpus.pcpus; }, needed);
  }

  Scenario scenario_;
  Fails const& fails_;
  bool smaller_ = false;
};

} // namespace

Scenario shrink(Scenario scenario, Fails const& fails) {
  return Shrinker(std::move(scenario), fails).smallest();
}

} // namespace pegasus::sim::testing
