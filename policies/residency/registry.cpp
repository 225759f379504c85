// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/registry.h"

#include "policies/residency/cost.h"
#include "policies/residency/first_fit.h"
#include "policies/residency/size.h"
#include "policies/residency/static.h"
#include "policies/residency/utilization.h"

#include <algorithm>
#include <array>

namespace pegasus::residency {

namespace {

// clang-format off
constexpr std::array entries{
    Entry{.name = "static", .source = "ours",
          .summary = "no sharing: a domain keeps all that it holds, or is refused",
          .place = place_static},
    Entry{.name = "first-fit", .source = "DymGPU II-A (gScale)",
          .summary = "baseline: adjacent slots with the fewest occupied ones, the leftmost; never moved",
          .shares = true,
          .place = place_first_fit},
    Entry{.name = "least-crowded", .source = "DymGPU II-A (gScale)",
          .summary = "baseline: the same by the domains in these slots, not by whether they are occupied",
          .shares = true,
          .place = place_least_crowded},
    Entry{.name = "size", .source = "DymGPU III-B",
          .summary = "largest domains first, side by side; the rest on top of the fewest shared slots",
          .shares = true, .reclaims_idle = true, .pause = &Tunables::settle,
          .place = place_by_size},
    Entry{.name = "utilization", .source = "DymGPU III-B",
          .summary = "busiest domains first, side by side; the rest share the right end",
          .shares = true, .reclaims_idle = true, .pause = &Tunables::period,
          .place = place_by_utilization},
    Entry{.name = "cost", .source = "ours",
          .summary = "the fewest granules copied, by how often each domain has its turn",
          .shares = true, .reclaims_idle = true, .pause = &Tunables::settle,
          .place = place_by_cost},
};
// clang-format on

} // namespace

std::span<Entry const> registry() { return entries; }

Entry const* find(std::string_view name) {
  auto const* const found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : found;
}

} // namespace pegasus::residency
