// SPDX-License-Identifier: Apache-2.0
#include "sim/placement.h"

namespace pegasus::sim {

Placement::Placement(Clock& clock, Scenario const& scenario,
                     std::vector<std::unique_ptr<Accelerator>> const& accelerators)
    : clock_(clock), scenario_(scenario), accelerators_(accelerators), domains_(scenario.domains.size()) {
  for (std::size_t index = 0; index < domains_.size(); ++index)
    if (auto const fixed = fixed_accelerator(scenario, scenario.domains[index])) put(index, *fixed);
}

Accelerator& Placement::came(std::size_t index) {
  Domain& domain = domains_[index];
  if (domain.tasks == 0) {
    domain.came = clock_.now();
    control::Settings const& settings = scenario_.domains[index].accelerator;
    if (!fixed_accelerator(scenario_, scenario_.domains[index]))
      put(index,
          daemon::select_accelerator(candidates(), {.credits = settings.credits, .slo = settings.slo}));
  }
  ++domain.tasks;
  return of(index);
}

void Placement::left(std::size_t index) { --domains_[index].tasks; }

void Placement::put(std::size_t index, std::size_t accelerator) {
  DomainScenario const& domain = scenario_.domains[index];
  domains_[index].accelerator = accelerator;
  accelerators_[accelerator]->set_domain(domain_id(index),
                                         {.credits = domain.accelerator.credits,
                                          .slo = domain.accelerator.slo,
                                          .cap = domain.accelerator.cap,
                                          .latency_slice = domain.accelerator.latency_slice});
}

// As the daemon's Placement: domains with tasks count.
std::vector<daemon::Candidate> Placement::candidates() const {
  std::vector<daemon::Candidate> all(accelerators_.size(), {.free_memory = 1});
  for (auto const& accelerator : accelerators_)
    accelerator->dispatcher().bring_up_to_date(clock_.now());
  for (std::size_t index = 0; index < domains_.size(); ++index) {
    Domain const& domain = domains_[index];
    if (domain.tasks == 0) continue;
    daemon::Candidate& its = all[domain.accelerator];
    control::Settings const& settings = scenario_.domains[index].accelerator;
    monitor::Service const service =
        accelerators_[domain.accelerator]->dispatcher().service(domain_id(index));
    its.credits += settings.credits;
    its.load += settings.credits * daemon::activity(service.demand, clock_.now() - domain.came);
    its.slo += settings.slo;
    its.violated |= service.violated;
  }
  return all;
}

} // namespace pegasus::sim
