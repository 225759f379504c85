// SPDX-License-Identifier: Apache-2.0
// The promises that every residency policy of the table must keep, over random Views: domains come, leave, grow, are idle
// and come back; reservations and pins come and go; values are absurd. A new policy is covered by its row.
#include "policies/residency/arrange.h"
#include "policies/residency/slots.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>

using namespace pegasus::residency;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t seeds = 12;
constexpr int steps = 400;
constexpr std::uint64_t granule = 2 << 20;

using Rule = std::optional<std::string>; // that is broken

class RandomMemory {
public:
  explicit RandomMemory(std::uint64_t seed)
      : engine_(seed), capacity_((1 + below(200)) * granule + below(granule)), most_(1 + below(24)) {}

  View next() {
    now_ += Nanos{static_cast<std::int64_t>(below(one_in(4) ? 15'000'000'000 : 700'000'000))};
    if (one_in(6) && domains_.size() < most_) come();
    if (one_in(15) && !domains_.empty())
      domains_.erase(std::next(domains_.begin(), static_cast<std::ptrdiff_t>(below(domains_.size()))));
    if (one_in(40)) capacity_ = below(200) * granule;
    views_.clear();
    for (auto& [id, domain] : domains_) {
      change(domain);
      views_.push_back(domain);
    }
    return {.now = now_,
            .arranged_at = arranged_at_,
            .capacity = capacity_,
            .granule = granule,
            .domains = views_};
  }

  void carry_out(Plan const& plan) {
    arranged_at_ = plan.arranged_at;
    for (DomainPlan const& each : plan.domains)
      domains_[each.id].place = each.place;
  }

private:
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::uint64_t bytes() { return one_in(100) ? engine_() : below(capacity_ / 2 + 2); }

  void come() {
    DomainId const id = static_cast<std::uint32_t>(below(100));
    domains_[id] = {.id = id, .bytes = bytes()};
    if (one_in(4)) domains_[id].pinned = domains_[id].bytes / 4;
    if (one_in(4)) domains_[id].reserved = below(capacity_ / 4 + 1);
  }

  void change(DomainView& domain) {
    if (one_in(100)) domain.bytes = bytes();
    if (one_in(200)) domain.pinned = bytes();
    if (one_in(200)) domain.reserved = bytes();
    if (one_in(5)) domain.utilization = one_in(50) ? 1e300 : static_cast<double>(below(1000)) / 1000;
    if (one_in(5)) domain.turns_per_second = one_in(50) ? -1e300 : static_cast<double>(below(60'000)) / 1000;
    if (one_in(30)) domain.idle_since = one_in(2) ? std::nullopt : std::optional(now_);
    if (one_in(20))
      domain.next_turn = one_in(2)
                             ? std::nullopt
                             : std::optional(now_ + Nanos{static_cast<std::int64_t>(below(60'000'000'000))});
    if (one_in(300)) domain.place = {{engine_(), engine_()}};
  }

  std::mt19937_64 engine_;
  std::uint64_t capacity_;
  std::uint64_t most_;
  Time now_{};
  std::optional<Time> arranged_at_;
  std::map<DomainId, DomainView> domains_;
  std::vector<DomainView> views_;
};

std::uint64_t granules(std::uint64_t bytes) { return bytes / granule + (bytes % granule > 0 ? 1 : 0); }

std::vector<Place> places_of(Plan const& plan) {
  std::vector<Place> places;
  for (DomainPlan const& each : plan.domains)
    places.push_back(each.place);
  return places;
}

// Of one domain. `pins_fit`, `promises_fit`: those of all domains together are within the capacity.
Rule broken_promise(Entry const& entry, Plan const& plan, DomainView const& view, DomainPlan const& domain,
                    bool pins_fit, bool promises_fit) {
  std::uint64_t const held =
      granules(view.pinned) + granules(view.bytes > view.pinned ? view.bytes - view.pinned : 0);
  std::uint64_t const promised = std::min(
      held, granules(view.pinned) + granules(view.reserved > view.pinned ? view.reserved - view.pinned : 0));
  if (domain.id != view.id) return "the domains are those of the View, in its order";
  if (pins_fit && domain.kept < granules(view.pinned)) return "what is pinned stays";
  if (promises_fit && domain.own < promised) return "a reservation is kept";
  if (domain.standing == Standing::placed && domain.own + domain.shared != held)
    return "a domain that may run has all that it holds";
  if (domain.standing != Standing::placed && domain.own + domain.shared != domain.kept)
    return "a domain that may not run has what it keeps";
  if (!is_valid(domain.place, domain.own - domain.kept + domain.shared, plan.slots))
    return "a place is valid";
  if (!entry.shares && domain.shared > 0) return "a policy that does not share shares nothing";
  bool const fits = promises_fit && held - domain.kept <= plan.slots;
  if (entry.shares && fits && domain.standing == Standing::refused)
    return "a domain that fits beside what others keep is not refused";
  if (!entry.reclaims_idle && domain.standing == Standing::out)
    return "only a policy that reclaims it copies idle memory out";
  return std::nullopt;
}

Rule broken_promise(Entry const& entry, View const& view, Plan const& plan) {
  std::uint64_t pins = 0;
  std::uint64_t promises = 0;
  auto const add = [](std::uint64_t& sum, std::uint64_t more) {
    sum = more > ~sum ? ~std::uint64_t{0} : sum + more;
  };
  for (DomainView const& each : view.domains) {
    add(pins, granules(each.pinned));
    add(promises, granules(each.pinned) +
                      std::min(granules(each.bytes > each.pinned ? each.bytes - each.pinned : 0),
                               granules(each.reserved > each.pinned ? each.reserved - each.pinned : 0)));
  }
  std::uint64_t const slots = view.capacity / view.granule;
  std::uint64_t in_use = plan.overlay;
  for (std::size_t i = 0; i < view.domains.size(); ++i) {
    in_use += plan.domains[i].own;
    if (Rule rule =
            broken_promise(entry, plan, view.domains[i], plan.domains[i], pins <= slots, promises <= slots))
      return rule;
  }
  if (in_use > slots) return "no more than the capacity";
  if (plan.overlay != shared_slots(regions_of(plan.slots, places_of(plan))))
    return "the overlay is what several have";
  if (plan.ask_again <= view.now || plan.ask_again > view.now + 1s) return "now < ask_again <= now + 1 s";
  return std::nullopt;
}

// Who had a valid place and has another one.
bool moved(View const& view, Plan const& plan) {
  for (std::size_t i = 0; i < view.domains.size(); ++i) {
    DomainPlan const& domain = plan.domains[i];
    if (domain.standing != Standing::placed || view.domains[i].place.empty()) continue;
    bool const had = is_valid(view.domains[i].place, domain.own - domain.kept + domain.shared, plan.slots);
    if (had && view.domains[i].place != domain.place) return true;
  }
  return false;
}

Rule broken_pause(Entry const& entry, View const& view, Plan const& plan) {
  bool const arranged = plan.arranged_at != view.arranged_at;
  if (arranged && plan.arranged_at != view.now) return "a rearrangement is now";
  if (!arranged && moved(view, plan)) return "who has a place keeps it, but for a rearrangement";
  if (arranged && entry.pause == nullptr) return "a policy without rearrangements makes none";
  if (arranged && view.arranged_at && view.now - *view.arranged_at < Tunables{}.*entry.pause)
    return "rearrangements are a pause apart";
  return std::nullopt;
}

} // namespace

TEST_CASE("every residency policy keeps its promises over random Views") {
  for (Entry const& entry : registry())
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      RandomMemory memory(seed);
      for (int step = 0; step < steps; ++step) {
        View const view = memory.next();
        Plan const plan = arrange(entry, view);
        INFO(entry.name << ", seed " << seed << ", step " << step);
        if (Rule const rule = broken_promise(entry, view, plan)) FAIL(*rule);
        if (Rule const rule = broken_pause(entry, view, plan)) FAIL(*rule);
        if (!(arrange(entry, view) == plan)) FAIL("the same View gives the same Plan");
        memory.carry_out(plan);
      }
    }
}

TEST_CASE("a Plan that was carried out is the answer to its own View again, whatever the policy") {
  for (Entry const& entry : registry())
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      RandomMemory memory(seed);
      for (int step = 0; step < steps; ++step) {
        View view = memory.next();
        Plan const plan = arrange(entry, view);
        memory.carry_out(plan);
        std::vector<DomainView> domains(view.domains.begin(), view.domains.end());
        for (std::size_t i = 0; i < domains.size(); ++i)
          domains[i].place = plan.domains[i].place;
        view.domains = domains;
        view.arranged_at = plan.arranged_at;
        INFO(entry.name << ", seed " << seed << ", step " << step);
        REQUIRE(places_of(arrange(entry, view)) == places_of(plan));
      }
    }
}
