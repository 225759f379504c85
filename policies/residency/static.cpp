// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/static.h"

#include "policies/residency/slots.h"

#include <algorithm>

namespace pegasus::residency {
namespace {

// The first free slots, wherever they are; none if there are fewer.
Place free_slots(std::uint64_t wanted, std::uint64_t slots, std::vector<Place> const& places) {
  Place place;
  for (Region const& region : regions_of(slots, places)) {
    if (!region.domains.empty() || wanted == 0) continue;
    place.push_back({region.extent.first, std::min(wanted, region.extent.count)});
    wanted -= place.back().count;
  }
  return wanted == 0 ? ordered(place) : Place{};
}

} // namespace

Answer place_static(Problem const& problem, Tunables const& /*tunables*/) {
  Answer answer;
  // Places of another policy may be shared: the first domain of them keeps its own.
  for (Candidate const& domain : problem.domains) {
    std::vector<Place> with = answer.places;
    with.push_back(domain.place);
    bool const fits = shared_slots(regions_of(problem.slots, with)) == 0;
    answer.places.push_back(fits ? domain.place : Place{});
  }
  for (std::size_t i = 0; i < problem.domains.size(); ++i)
    if (answer.places[i].empty())
      answer.places[i] = free_slots(problem.domains[i].slots, problem.slots, answer.places);
  return answer;
}

} // namespace pegasus::residency
