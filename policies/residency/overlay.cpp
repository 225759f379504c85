// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/overlay.h"

#include "policies/residency/slots.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pegasus::residency {
namespace {

// The order in which domains go into the overlay.
std::vector<std::size_t> coldest_first(Problem const& problem) {
  std::vector<std::size_t> order(problem.domains.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    Candidate const& left = problem.domains[a];
    Candidate const& right = problem.domains[b];
    return left.turns != right.turns ? left.turns < right.turns : left.slots > right.slots;
  });
  return order;
}

std::uint64_t wanted_slots(Problem const& problem) {
  return std::accumulate(problem.domains.begin(), problem.domains.end(), std::uint64_t{0},
                         [](std::uint64_t sum, Candidate const& domain) { return sum + domain.slots; });
}

// What an overlay takes off the slots of these domains, beyond its own length.
std::uint64_t saved(Problem const& problem, std::vector<std::size_t> const& order, std::size_t domains,
                    std::uint64_t length) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < domains; ++i)
    sum += std::min(problem.domains[order[i]].slots, length);
  return sum > length ? sum - length : 0;
}

} // namespace

std::optional<std::vector<std::uint64_t>> fill_overlay(Problem const& problem, std::uint64_t length) {
  std::vector<std::uint64_t> shared(problem.domains.size());
  std::uint64_t const wanted = wanted_slots(problem);
  std::uint64_t excess = wanted > problem.slots - length ? wanted - (problem.slots - length) : 0;
  for (std::size_t const domain : coldest_first(problem)) {
    shared[domain] = std::min({problem.domains[domain].slots, length, excess});
    excess -= shared[domain];
  }
  return excess == 0 ? std::optional(shared) : std::nullopt;
}

std::vector<std::uint64_t> overlay_lengths(Problem const& problem) {
  std::uint64_t const wanted = wanted_slots(problem);
  std::uint64_t const excess = wanted > problem.slots ? wanted - problem.slots : 0;
  if (excess == 0) return {0};
  auto const order = coldest_first(problem);
  std::vector<std::uint64_t> lengths;
  std::uint64_t longest = 0;
  for (std::size_t domains = 1; domains <= order.size(); ++domains) {
    longest = std::max(longest, problem.domains[order[domains - 1]].slots);
    lengths.push_back(problem.domains[order[domains - 1]].slots);
    if (saved(problem, order, domains, longest) < excess) continue;
    // What is saved does not decrease up to the longest of them.
    std::uint64_t low = 0;
    std::uint64_t high = longest;
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (saved(problem, order, domains, middle) >= excess)
        high = middle;
      else
        low = middle + 1;
    }
    lengths.push_back(high);
  }
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

std::vector<Place> places_with_overlay(Problem const& problem, std::uint64_t length,
                                       std::vector<std::uint64_t> const& shared) {
  std::vector<Place> places;
  std::uint64_t used = length;
  for (std::size_t i = 0; i < problem.domains.size(); ++i) {
    std::uint64_t const own = problem.domains[i].slots - shared[i];
    places.push_back(ordered({{0, shared[i]}, {used, own}}));
    used += own;
  }
  return places;
}

} // namespace pegasus::residency
