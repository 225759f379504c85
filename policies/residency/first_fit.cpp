// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/first_fit.h"

#include "policies/residency/slots.h"

#include <algorithm>
#include <cstddef>

namespace pegasus::residency {
namespace {

// Of a slot that so many domains have.
using Weight = std::uint64_t (*)(std::size_t domains);

std::uint64_t once(std::size_t domains) { return domains == 0 ? 0 : 1; }
std::uint64_t for_each_domain(std::size_t domains) { return domains; }

std::uint64_t score(std::vector<Region> const& regions, Extent run, Weight weight) {
  std::uint64_t sum = 0;
  for (Region const& region : regions) {
    std::uint64_t const first = std::max(run.first, region.extent.first);
    std::uint64_t const end = std::min(run.end(), region.extent.end());
    if (end > first) sum += weight(region.domains.size()) * (end - first);
  }
  return sum;
}

Place best_run(std::uint64_t wanted, std::uint64_t slots, std::vector<Place> const& places, Weight weight) {
  auto const regions = regions_of(slots, places);
  // The score changes its slope only where the run begins or ends at the border of a region.
  std::vector<std::uint64_t> starts{slots - wanted};
  for (Region const& region : regions) {
    if (region.extent.first <= slots - wanted) starts.push_back(region.extent.first);
    if (region.extent.end() >= wanted) starts.push_back(region.extent.end() - wanted);
  }
  std::ranges::sort(starts);
  auto const best = std::ranges::min_element(starts, {}, [&](std::uint64_t first) {
    return score(regions, {first, wanted}, weight);
  });
  return {{*best, wanted}};
}

Answer place_arrivals(Problem const& problem, Weight weight) {
  Answer answer;
  for (Candidate const& domain : problem.domains)
    answer.places.push_back(domain.place);
  for (std::size_t i = 0; i < problem.domains.size(); ++i)
    if (answer.places[i].empty())
      answer.places[i] = best_run(problem.domains[i].slots, problem.slots, answer.places, weight);
  return answer;
}

} // namespace

Answer place_first_fit(Problem const& problem, Tunables const& /*tunables*/) {
  return place_arrivals(problem, once);
}

Answer place_least_crowded(Problem const& problem, Tunables const& /*tunables*/) {
  return place_arrivals(problem, for_each_domain);
}

} // namespace pegasus::residency
