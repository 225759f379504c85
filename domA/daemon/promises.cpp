// SPDX-License-Identifier: Apache-2.0
#include "domA/daemon/promises.h"

#include "control/quantity.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::daemon {
namespace {

// Sums of decimal fractions are not exact: 0.1 and 0.2 and 0.7 must count as no more than 1.
constexpr double slo_slack = 1e-9;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

bool has_memory(Capacity const& capacity, Promise const& promise) {
  return promise.memory <= capacity.free_memory;
}
bool has_time(Capacity const& capacity, Promise const& promise) {
  return promise.slo <= 0 || capacity.slo + promise.slo <= 1 + slo_slack;
}

Capacity emptied(Capacity const& capacity) {
  return {.memory = capacity.memory, .free_memory = capacity.memory};
}

// The wanted size is rounded up and the available size down, so the difference shows.
std::string wanted(std::uint64_t bytes) {
  return control::text_of_size(bytes / mebibyte * mebibyte + (bytes % mebibyte != 0 ? mebibyte : 0));
}
std::string there_is(std::uint64_t bytes) { return control::text_of_size(bytes / mebibyte * mebibyte); }

// The largest value of each kind, over the accelerators that it may use.
struct Best {
  std::uint64_t memory = 0, free_memory = 0;
  double time = 0;
};

Best best_of(std::span<Capacity const> capacities, Promise const& promise) {
  Best best;
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    if (!promise.may_use(i)) continue;
    best.memory = std::max(best.memory, capacities[i].memory);
    best.free_memory = std::max(best.free_memory, capacities[i].free_memory);
    best.time = std::max(best.time, 1 - capacities[i].slo);
  }
  return best;
}

std::string on_which(Promise const& promise) {
  return promise.only ? fmt::format(" on its accelerator {}", *promise.only) : "";
}

} // namespace

void set_aside(std::span<Capacity> capacities, Promise const& promise) {
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    if (!promise.may_use(i)) continue;
    capacities[i].free_memory -= std::min(capacities[i].free_memory, promise.memory);
    capacities[i].slo += promise.slo;
  }
}

std::vector<std::size_t> where_kept(std::span<Capacity const> capacities, Promise const& promise) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < capacities.size(); ++i)
    if (promise.may_use(i) && has_memory(capacities[i], promise) && has_time(capacities[i], promise))
      kept.push_back(i);
  return kept;
}

bool ever_kept(std::span<Capacity const> capacities, Promise const& promise) {
  std::vector<Capacity> empty(capacities.size());
  std::ranges::transform(capacities, empty.begin(), emptied);
  return !where_kept(empty, promise).empty();
}

std::string not_now(std::string_view domain, std::span<Capacity const> capacities, Promise const& promise) {
  Best const best = best_of(capacities, promise);
  std::string const where = on_which(promise);
  if (promise.memory > best.free_memory)
    return fmt::format("domain {} is to have {} of accelerator memory, and at most {} are free{}", domain,
                       wanted(promise.memory), there_is(best.free_memory), where);
  if (promise.slo > best.time + slo_slack)
    return fmt::format("domain {} is to have {:.3f} of an accelerator's time, and at most {:.3f} are not "
                       "promised{}",
                       domain, promise.slo, std::max(best.time, 0.0), where);
  return fmt::format("domain {} is to have {} of memory and {:.3f} of the time of one accelerator, and none "
                     "has both free",
                     domain, wanted(promise.memory), promise.slo);
}

std::string never(std::string_view domain, std::span<Capacity const> capacities, Promise const& promise) {
  if (promise.slo > 1)
    return fmt::format("domain {} is to have {:.3f} of an accelerator's time, which is more than 1: set slo= "
                       "to 1 or less",
                       domain, promise.slo);
  return fmt::format("domain {} is to have {} of accelerator memory, and there is no more than {}{}: set "
                     "memory= to that or less",
                     domain, wanted(promise.memory), there_is(best_of(capacities, promise).memory),
                     on_which(promise));
}

std::string no_room_for_context(std::string_view domain, std::uint64_t share, std::uint64_t free,
                                std::uint64_t context) {
  if (share < context)
    return fmt::format("domain {}'s share of {} of accelerator memory is smaller than a context on this GPU "
                       "({}): give it more memory",
                       domain, there_is(share), wanted(context));
  return fmt::format(
      "domain {} has {} of accelerator memory left, and a context on this GPU takes {}: end one "
      "of its programs, or give it more memory",
      domain, there_is(free), wanted(context));
}

} // namespace pegasus::daemon
