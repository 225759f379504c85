// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/candidates.h"

#include <algorithm>

namespace pegasus::placement {
namespace {

struct Memory { // of an accelerator, in bytes
  std::uint64_t limited = 0;
  std::uint64_t pooled = 0;
};

} // namespace

// A limit counts in full, and what exceeds it, too. Domains without one count by what they use, as far as the pool
// reaches.
std::vector<Candidate> candidates(std::span<AcceleratorState const> accelerators,
                                  std::span<DomainState const> domains) {
  std::vector<Candidate> result(accelerators.size());
  std::vector<Memory> taken(accelerators.size());
  for (DomainState const& domain : domains) {
    std::uint64_t const most = accelerators[domain.accelerator].memory;
    Memory& memory = taken[domain.accelerator];
    std::uint64_t& sum = domain.memory_limit > 0 ? memory.limited : memory.pooled;
    sum = std::min(most, sum + std::min(most, std::max(domain.memory_limit, domain.memory_used)));
    Candidate& candidate = result[domain.accelerator];
    candidate.credits += domain.credits;
    candidate.load += static_cast<double>(domain.credits) * domain.activity;
    candidate.slo += domain.slo;
    candidate.violated |= domain.violated;
  }
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    AcceleratorState const& accelerator = accelerators[i];
    std::uint64_t const counted = taken[i].limited + std::min(taken[i].pooled, accelerator.pool);
    result[i].capability = accelerator.capability;
    result[i].free_memory =
        accelerator.memory - std::min(accelerator.memory, std::max(counted, accelerator.used));
    result[i].failing = accelerator.failing;
  }
  return result;
}

std::vector<Available> available(std::span<AcceleratorState const> accelerators,
                                 std::span<DomainState const> domains) {
  std::vector<Available> result;
  for (Candidate const& candidate : candidates(accelerators, domains))
    result.push_back({.memory = accelerators[result.size()].memory,
                      .free_memory = candidate.free_memory,
                      .slo = candidate.slo});
  return result;
}

} // namespace pegasus::placement
