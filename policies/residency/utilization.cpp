// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/utilization.h"

#include "policies/residency/side_by_side.h"

namespace pegasus::residency {
namespace {

Place right_end(Problem const& problem, std::uint64_t wanted) { return {{problem.slots - wanted, wanted}}; }

} // namespace

std::vector<Place> places_by_utilization(Problem const& problem) {
  auto const busier = [&](std::size_t a, std::size_t b) {
    return problem.domains[a].utilization > problem.domains[b].utilization;
  };
  SideBySide row = side_by_side(problem, busier);
  for (std::size_t const domain : row.others)
    row.places[domain] = right_end(problem, problem.domains[domain].slots);
  return row.places;
}

Answer place_by_utilization(Problem const& problem, Tunables const& tunables) {
  if (problem.may_rearrange(tunables.period))
    return {.places = places_by_utilization(problem), .rearranged = true};
  Answer answer;
  for (Candidate const& domain : problem.domains)
    answer.places.push_back(domain.place.empty() ? right_end(problem, domain.slots) : domain.place);
  return answer;
}

} // namespace pegasus::residency
