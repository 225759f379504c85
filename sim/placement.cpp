// SPDX-License-Identifier: Apache-2.0
#include "sim/placement.h"

namespace pegasus::sim {

Placement::Placement(Clock& clock, Scenario const& scenario,
                     std::vector<std::unique_ptr<Accelerator>> const& accelerators)
    : clock_(clock), scenario_(scenario), accelerators_(accelerators), domains_(scenario.domains.size()) {
  for (std::size_t index = 0; index < domains_.size(); ++index)
    if (auto const fixed = fixed_accelerator(scenario, scenario.domains[index])) place(index, *fixed);
}

Accelerator& Placement::arrive(std::size_t index) {
  Domain& domain = domains_[index];
  if (domain.tasks == 0) {
    domain.arrived = clock_.now();
    control::Settings const& settings = scenario_.domains[index].accelerator;
    if (!fixed_accelerator(scenario_, scenario_.domains[index]))
      place(index,
            placement::select_accelerator(candidates(), {.credits = settings.credits, .slo = settings.slo}));
  }
  ++domain.tasks;
  return of(index);
}

void Placement::depart(std::size_t index) { --domains_[index].tasks; }

void Placement::place(std::size_t index, std::size_t accelerator) {
  DomainScenario const& domain = scenario_.domains[index];
  domains_[index].accelerator = accelerator;
  accelerators_[accelerator]->set_domain(domain_id(index),
                                         {.credits = domain.accelerator.credits,
                                          .slo = domain.accelerator.slo,
                                          .cap = domain.accelerator.cap,
                                          .latency_slice = domain.accelerator.latency_slice});
}

// Memory is not modelled: there is always some.
std::vector<placement::Candidate> Placement::candidates() const {
  for (auto const& accelerator : accelerators_)
    accelerator->dispatcher().bring_up_to_date(clock_.now());
  std::vector<placement::DomainState> in_use;
  for (std::size_t index = 0; index < domains_.size(); ++index) {
    Domain const& domain = domains_[index];
    if (domain.tasks == 0) continue;
    control::Settings const& settings = scenario_.domains[index].accelerator;
    monitor::Service const service =
        accelerators_[domain.accelerator]->dispatcher().service(domain_id(index));
    in_use.push_back({.accelerator = domain.accelerator,
                      .credits = settings.credits,
                      .slo = settings.slo,
                      .activity = placement::activity(service.demand, clock_.now() - domain.arrived),
                      .violated = service.violated});
  }
  return placement::candidates(std::vector<placement::AcceleratorState>(accelerators_.size(), {.memory = 1}),
                               in_use);
}

} // namespace pegasus::sim
