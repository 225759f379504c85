// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/arrange.h"

#include "policies/residency/slots.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace pegasus::residency {
namespace {

// Sums over a million domains stay in 64 bits.
constexpr std::uint64_t most_slots = std::uint64_t{1} << 40U;
constexpr double most_turns = 1e6; // a second

std::uint64_t granules(std::uint64_t bytes, std::uint64_t granule) {
  return std::min(bytes / granule + (bytes % granule > 0 ? 1 : 0), most_slots);
}

// 0 if it is not a number.
double bounded(double value, double most) { return value > 0 ? std::min(value, most) : 0; }

Nanos elapsed(Time from, Time now) {
  if (from >= now) return Nanos{0};
  auto const count = static_cast<std::uint64_t>(now.time_since_epoch().count()) -
                     static_cast<std::uint64_t>(from.time_since_epoch().count());
  return Nanos{static_cast<std::int64_t>(
      std::min(count, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())))};
}

Time later(Time time, Nanos by) { return time > Time::max() - by ? Time::max() : time + by; }

// What it needs in slots beside what it keeps.
struct Need {
  std::uint64_t pinned = 0;
  std::uint64_t reserved = 0; // ... and not pinned
  std::uint64_t movable = 0;  // neither
};

Need need_of(DomainView const& domain, std::uint64_t granule) {
  std::uint64_t const bytes = domain.bytes > domain.pinned ? domain.bytes - domain.pinned : 0;
  std::uint64_t const promised = domain.reserved > domain.pinned ? domain.reserved - domain.pinned : 0;
  Need need{.pinned = granules(domain.pinned, granule), .movable = granules(bytes, granule)};
  need.reserved = std::min(need.movable, granules(promised, granule));
  need.movable -= need.reserved;
  return need;
}

// Keeps what is pinned, and then what is reserved, as far as there are slots.
std::uint64_t keep(std::uint64_t slots, std::vector<Need> const& needs, std::vector<DomainPlan>& plans) {
  for (std::uint64_t Need::*const what : {&Need::pinned, &Need::reserved})
    for (std::size_t i = 0; i < needs.size(); ++i) {
      std::uint64_t const wanted = needs[i].*what;
      if (wanted > slots) {
        plans[i].standing = Standing::refused;
        continue;
      }
      plans[i].kept += wanted;
      slots -= wanted;
    }
  return slots;
}

bool is_idle(DomainView const& domain, Time now, Nanos after) {
  return domain.idle_since && elapsed(*domain.idle_since, now) >= after;
}

// None if it is expected only after the next period; at least one in it if it has calls, or is expected.
double turns_of(DomainView const& domain, Time now, Nanos period) {
  double const turns = bounded(domain.turns_per_second, most_turns);
  double const once = bounded(1 / std::chrono::duration<double>(period).count(), most_turns);
  if (!domain.next_turn) return domain.idle_since ? turns : std::max(turns, once);
  return elapsed(now, *domain.next_turn) >= period ? 0 : std::max(turns, once);
}

Candidate candidate_of(DomainView const& domain, Need const& need, View const& view, std::uint64_t slots,
                       Tunables const& tunables) {
  return {.slots = need.movable,
          .utilization = bounded(domain.utilization, 1),
          .turns = turns_of(domain, view.now, tunables.period),
          .place = is_valid(domain.place, need.movable, slots) ? domain.place : Place{}};
}

void count_slots(Plan& plan) {
  std::vector<Place> places;
  for (DomainPlan const& domain : plan.domains)
    places.push_back(domain.place);
  auto const regions = regions_of(plan.slots, places);
  plan.overlay = shared_slots(regions);
  for (DomainPlan& domain : plan.domains)
    domain.own = domain.kept;
  for (Region const& region : regions)
    for (std::size_t const domain : region.domains)
      (region.domains.size() > 1 ? plan.domains[domain].shared : plan.domains[domain].own) +=
          region.extent.count;
}

} // namespace

Plan arrange(Entry const& policy, View const& view, Tunables const& tunables) {
  Plan plan{.slots = 0,
            .arranged_at = view.arranged_at,
            .ask_again = later(view.now, std::max(tunables.settle, Nanos{1}))};
  std::uint64_t const granule = std::max<std::uint64_t>(view.granule, 1);
  std::vector<Need> needs;
  for (DomainView const& domain : view.domains) {
    plan.domains.push_back({.id = domain.id});
    needs.push_back(need_of(domain, granule));
  }
  plan.slots = keep(std::min(view.capacity / granule, most_slots), needs, plan.domains);

  Problem problem{.slots = plan.slots, .domains = {}};
  if (view.arranged_at) problem.arranged_ago = elapsed(*view.arranged_at, view.now);
  std::vector<std::size_t> placed;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    DomainPlan& domain = plan.domains[i];
    if (domain.standing == Standing::refused || needs[i].movable == 0) continue;
    if (needs[i].movable > plan.slots)
      domain.standing = Standing::refused;
    else if (policy.reclaims_idle && is_idle(view.domains[i], view.now, tunables.idle_after))
      domain.standing = Standing::out;
    else {
      placed.push_back(i);
      problem.domains.push_back(candidate_of(view.domains[i], needs[i], view, plan.slots, tunables));
    }
  }
  Answer answer = policy.place(problem, tunables);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    DomainPlan& domain = plan.domains[placed[i]];
    domain.place = std::move(answer.places[i]);
    if (domain.place.empty()) domain.standing = Standing::refused;
  }
  if (answer.rearranged) plan.arranged_at = view.now;
  count_slots(plan);
  return plan;
}

} // namespace pegasus::residency
