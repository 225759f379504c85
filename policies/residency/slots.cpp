// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/slots.h"

#include <algorithm>
#include <numeric>

namespace pegasus::residency {

std::vector<Region> regions_of(std::uint64_t slots, std::span<Place const> places) {
  std::vector<std::uint64_t> borders{0, slots};
  for (Place const& place : places)
    for (Extent const& extent : place)
      borders.insert(borders.end(), {extent.first, extent.end()});
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  std::vector<Region> regions;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i)
    regions.push_back({.extent = {borders[i], borders[i + 1] - borders[i]}, .domains = {}});
  for (std::size_t domain = 0; domain < places.size(); ++domain)
    for (Extent const& extent : places[domain]) {
      auto region = std::ranges::lower_bound(regions, extent.first, {},
                                             [](Region const& each) { return each.extent.first; });
      for (; region != regions.end() && region->extent.first < extent.end(); ++region)
        region->domains.push_back(domain);
    }
  return regions;
}

std::uint64_t shared_slots(std::span<Region const> regions) {
  return std::accumulate(regions.begin(), regions.end(), std::uint64_t{0},
                         [](std::uint64_t sum, Region const& region) {
                           return sum + (region.domains.size() > 1 ? region.extent.count : 0);
                         });
}

bool any_free(std::span<Region const> regions) {
  return std::ranges::any_of(regions, [](Region const& region) { return region.domains.empty(); });
}

std::uint64_t count(Place const& place) {
  return std::accumulate(place.begin(), place.end(), std::uint64_t{0},
                         [](std::uint64_t sum, Extent const& extent) { return sum + extent.count; });
}

bool is_valid(Place const& place, std::uint64_t count, std::uint64_t slots) {
  std::uint64_t at = 0;
  std::uint64_t sum = 0;
  for (Extent const& extent : place) {
    bool const inside = extent.first >= at && extent.first < slots && extent.count <= slots - extent.first;
    if (!inside || extent.count == 0) return false;
    at = extent.end();
    sum += extent.count; // no more than `slots`
  }
  return sum == count;
}

Place ordered(Place extents) {
  std::erase_if(extents, [](Extent const& extent) { return extent.count == 0; });
  std::ranges::sort(extents, {}, &Extent::first);
  Place place;
  for (Extent const& extent : extents) {
    if (!place.empty() && place.back().end() == extent.first)
      place.back().count += extent.count;
    else
      place.push_back(extent);
  }
  return place;
}

std::uint64_t new_slots(Place const& place, Place const& before) {
  std::uint64_t common = 0;
  for (Extent const& extent : place)
    for (Extent const& old : before) {
      std::uint64_t const first = std::max(extent.first, old.first);
      std::uint64_t const end = std::min(extent.end(), old.end());
      common += end > first ? end - first : 0;
    }
  return count(place) - common;
}

} // namespace pegasus::residency
