// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/reservation.h"

#include "control/quantity.h"

#include <algorithm>
#include <fmt/core.h>

namespace pegasus::placement {
namespace {

// Sums of decimal fractions are not exact: 0.1 and 0.2 and 0.7 must count as no more than 1.
constexpr double slo_slack = 1e-9;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

bool has_memory(Available const& accelerator, Reservation const& reservation) {
  return reservation.memory <= accelerator.free_memory;
}
bool has_time(Available const& accelerator, Reservation const& reservation) {
  return reservation.slo <= 0 || accelerator.slo + reservation.slo <= 1 + slo_slack;
}

Available emptied(Available const& accelerator) {
  return {.memory = accelerator.memory, .free_memory = accelerator.memory};
}

// The wanted size is rounded up and the available size down, so the difference shows.
std::string rounded_up(std::uint64_t bytes) {
  return control::text_of_size(bytes / mebibyte * mebibyte + (bytes % mebibyte != 0 ? mebibyte : 0));
}
std::string rounded_down(std::uint64_t bytes) { return control::text_of_size(bytes / mebibyte * mebibyte); }

// The largest value of each kind, over the accelerators that it may use.
struct Best {
  std::uint64_t memory = 0, free_memory = 0;
  double time = 0;
};

Best best_of(std::span<Available const> accelerators, Reservation const& reservation) {
  Best best;
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    if (!reservation.may_use(i)) continue;
    best.memory = std::max(best.memory, accelerators[i].memory);
    best.free_memory = std::max(best.free_memory, accelerators[i].free_memory);
    best.time = std::max(best.time, 1 - accelerators[i].slo);
  }
  return best;
}

std::string on_its_accelerator(Reservation const& reservation) {
  return reservation.only ? fmt::format(" on its accelerator {}", *reservation.only) : "";
}

} // namespace

void reserve(std::span<Available> accelerators, Reservation const& reservation) {
  for (std::size_t i = 0; i < accelerators.size(); ++i) {
    if (!reservation.may_use(i)) continue;
    accelerators[i].free_memory -= std::min(accelerators[i].free_memory, reservation.memory);
    accelerators[i].slo += reservation.slo;
  }
}

std::vector<std::size_t> feasible_on(std::span<Available const> accelerators,
                                     Reservation const& reservation) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < accelerators.size(); ++i)
    if (reservation.may_use(i) && has_memory(accelerators[i], reservation) &&
        has_time(accelerators[i], reservation))
      kept.push_back(i);
  return kept;
}

bool feasible_when_empty(std::span<Available const> accelerators, Reservation const& reservation) {
  std::vector<Available> empty(accelerators.size());
  std::ranges::transform(accelerators, empty.begin(), emptied);
  return !feasible_on(empty, reservation).empty();
}

std::string busy_message(std::string_view domain, std::span<Available const> accelerators,
                         Reservation const& reservation) {
  Best const best = best_of(accelerators, reservation);
  std::string const where = on_its_accelerator(reservation);
  if (reservation.memory > best.free_memory)
    return fmt::format("domain {} needs {} of accelerator memory; {} is free{}", domain,
                       rounded_up(reservation.memory), rounded_down(best.free_memory), where);
  if (reservation.slo > best.time + slo_slack)
    return fmt::format("domain {} needs {:.3f} of an accelerator's time; {:.3f} is not reserved{}", domain,
                       reservation.slo, std::max(best.time, 0.0), where);
  return fmt::format("domain {} needs {} of memory and {:.3f} of the time of one accelerator; none has both "
                     "free",
                     domain, rounded_up(reservation.memory), reservation.slo);
}

std::string infeasible_message(std::string_view domain, std::span<Available const> accelerators,
                               Reservation const& reservation) {
  if (reservation.slo > 1)
    return fmt::format("domain {} needs {:.3f} of an accelerator's time, more than there is: set slo= to 1 "
                       "or less",
                       domain, reservation.slo);
  return fmt::format("domain {} needs {} of accelerator memory; there is {}{}: set memory= to that or less",
                     domain, rounded_up(reservation.memory),
                     rounded_down(best_of(accelerators, reservation).memory),
                     on_its_accelerator(reservation));
}

std::string no_context_message(std::string_view domain, std::uint64_t share, std::uint64_t free,
                               std::uint64_t context) {
  if (share < context)
    return fmt::format("domain {}'s share of {} of accelerator memory is smaller than a context on this GPU "
                       "({}): give it more memory",
                       domain, rounded_down(share), rounded_up(context));
  return fmt::format(
      "domain {} has {} of accelerator memory left, and a context on this GPU takes {}: end one "
      "of its programs, or give it more memory",
      domain, rounded_down(free), rounded_up(context));
}

} // namespace pegasus::placement
