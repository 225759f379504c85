// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/size.h"

#include "policies/residency/side_by_side.h"
#include "policies/residency/slots.h"

#include <algorithm>
#include <utility>

namespace pegasus::residency {
namespace {

// In the first free run that is long enough, else from where the shared slots begin.
Place place_of_arrival(std::uint64_t wanted, std::uint64_t slots, std::vector<Place> const& places) {
  auto const regions = regions_of(slots, places);
  std::uint64_t first = slots - wanted;
  for (Region const& region : regions) {
    if (region.domains.empty() && region.extent.count >= wanted) return {{region.extent.first, wanted}};
    if (region.domains.size() > 1) first = std::min(first, region.extent.first);
  }
  return {{first, wanted}};
}

} // namespace

std::vector<Place> places_by_size(Problem const& problem) {
  auto const larger = [&](std::size_t a, std::size_t b) {
    return problem.domains[a].slots > problem.domains[b].slots;
  };
  SideBySide row = side_by_side(problem, larger);
  if (row.others.empty()) return row.places;
  std::uint64_t const start = problem.slots - problem.domains[row.others.front()].slots;
  for (std::size_t const domain : row.others)
    row.places[domain] = {{start, problem.domains[domain].slots}};
  return row.places;
}

Answer place_by_size(Problem const& problem, Tunables const& tunables) {
  Answer answer;
  for (Candidate const& domain : problem.domains)
    answer.places.push_back(domain.place);
  for (std::size_t i = 0; i < problem.domains.size(); ++i)
    if (answer.places[i].empty())
      answer.places[i] = place_of_arrival(problem.domains[i].slots, problem.slots, answer.places);
  if (!problem.may_rearrange(tunables.settle)) return answer;
  auto places = places_by_size(problem);
  if (shared_slots(regions_of(problem.slots, places)) >=
      shared_slots(regions_of(problem.slots, answer.places)))
    return answer;
  return {.places = std::move(places), .rearranged = true};
}

} // namespace pegasus::residency
