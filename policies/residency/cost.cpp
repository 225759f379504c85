// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/cost.h"

#include "policies/residency/expected_copies.h"
#include "policies/residency/overlay.h"
#include "policies/residency/size.h"
#include "policies/residency/slots.h"
#include "policies/residency/utilization.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pegasus::residency {
namespace {

struct Added {
  double copies;       // a second, for each slot
  std::size_t domains; // that have these slots
  Extent extent;
};

// The slots in which the domain adds the fewest copies.
Place cheapest_slots(Problem const& problem, std::size_t domain, std::vector<Place> const& places) {
  std::vector<Added> all;
  for (Region const& region : regions_of(problem.slots, places)) {
    std::vector<double> turns;
    for (std::size_t const other : region.domains)
      turns.push_back(problem.domains[other].turns);
    double const before = copies_of_slot(turns);
    turns.push_back(problem.domains[domain].turns);
    all.push_back({copies_of_slot(turns) - before, region.domains.size(), region.extent});
  }
  std::ranges::stable_sort(all, {}, [](Added const& each) { return std::pair(each.copies, each.domains); });
  Place place;
  std::uint64_t wanted = problem.domains[domain].slots;
  for (Added const& each : all) {
    place.push_back({each.extent.first, std::min(wanted, each.extent.count)});
    wanted -= place.back().count;
  }
  return ordered(std::move(place));
}

// What a move copies: each granule that has another slot than before.
double moved(Problem const& problem, std::vector<Place> const& places) {
  double sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!problem.domains[i].place.empty())
      sum += static_cast<double>(new_slots(places[i], problem.domains[i].place));
  return sum;
}

} // namespace

std::vector<Place> places_by_cost(Problem const& problem) {
  std::vector<std::vector<Place>> all;
  for (std::uint64_t const length : overlay_lengths(problem))
    if (auto const shared = fill_overlay(problem, length))
      all.push_back(places_with_overlay(problem, length, *shared));
  all.push_back(places_by_size(problem));
  all.push_back(places_by_utilization(problem));
  std::vector<double> copies;
  for (std::vector<Place> const& places : all)
    copies.push_back(expected_copies(problem, places));
  return all[static_cast<std::size_t>(std::ranges::min_element(copies) - copies.begin())];
}

Answer place_by_cost(Problem const& problem, Tunables const& tunables) {
  Answer answer;
  bool came = false;
  for (Candidate const& domain : problem.domains) {
    answer.places.push_back(domain.place);
    came = came || domain.place.empty();
  }
  for (std::size_t i = 0; i < problem.domains.size(); ++i)
    if (answer.places[i].empty()) answer.places[i] = cheapest_slots(problem, i, answer.places);
  auto const regions = regions_of(problem.slots, answer.places);
  bool const left = any_free(regions) && shared_slots(regions) > 0;
  if (!problem.may_rearrange(came || left ? tunables.settle : tunables.period)) return answer;
  auto places = places_by_cost(problem);
  double const seconds = std::chrono::duration<double>(tunables.period).count();
  double const saved = expected_copies(problem, answer.places) - expected_copies(problem, places);
  if (saved * seconds <= moved(problem, places)) return answer;
  return {.places = std::move(places), .rearranged = true};
}

} // namespace pegasus::residency
