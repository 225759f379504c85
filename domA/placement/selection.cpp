// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/selection.h"

#include "domA/device/attributes.h"
#include "monitor/service_meter.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <fmt/core.h>

namespace pegasus::placement {

double capability(device::Profile const& profile) {
  using namespace device::attribute;
  double product = 1;
  for (std::size_t const attribute : {clock_khz, multiprocessors, threads_per_multiprocessor})
    product *= std::max(profile.attribute[attribute], 1);
  return product;
}

double activity(double demand, policies::Nanos since_it_came) {
  using Seconds = std::chrono::duration<double>;
  double const unknown = std::exp(-Seconds(since_it_came) / Seconds(monitor::ServiceMeter::demand_memory));
  return std::clamp(std::max(demand, unknown), 0.0, 1.0);
}

namespace {

struct Rating { // in the order of precedence
  bool works;
  bool fits;
  bool keeps_slos;
  double weight;
  std::uint64_t free_memory;
  auto operator<=>(Rating const&) const = default;
};

Rating rate(Candidate const& candidate, PlacementRequest const& request) {
  double const load = candidate.load + static_cast<double>(request.credits);
  return {.works = !candidate.failing,
          .fits = candidate.free_memory >= std::max<std::uint64_t>(request.memory, 1),
          .keeps_slos = !candidate.violated && !(request.slo > 0 && candidate.slo + request.slo > 1),
          .weight = candidate.capability / load,
          .free_memory = candidate.free_memory};
}

} // namespace

std::size_t select_accelerator(std::span<Candidate const> candidates, PlacementRequest const& request) {
  auto const less = [](Rating const& a, Rating const& b) { return a < b; };
  auto const best = std::ranges::max_element(
      candidates, less, [&](Candidate const& candidate) { return rate(candidate, request); });
  return static_cast<std::size_t>(best - candidates.begin());
}

std::string explain_selection(std::span<Candidate const> candidates, PlacementRequest const& request) {
  double heaviest = 0;
  for (Candidate const& candidate : candidates)
    heaviest = std::max(heaviest, rate(candidate, request).weight);
  std::string text;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Rating const rating = rate(candidates[i], request);
    text += fmt::format("{}{}: weight {:.2f}", i > 0 ? "; " : "", i, rating.weight / heaviest);
    if (candidates[i].credits > 0)
      text += fmt::format(", {:.0f} of {} credits at work", candidates[i].load, candidates[i].credits);
    if (!rating.works) text += ", it failed recently";
    if (!rating.fits) text += ", too little memory is free";
    if (!rating.keeps_slos) text += ", SLOs would be missed";
  }
  return text;
}

} // namespace pegasus::placement
