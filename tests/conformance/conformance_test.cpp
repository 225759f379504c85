// SPDX-License-Identifier: Apache-2.0
// The promises that every policy of the registry must keep, over random Views. A new policy is covered as
// soon as it has a row in the table.
#include "policies/registry.h"

#include "tests/conformance/random_views.h"
#include "tests/conformance/selection.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <exception>
#include <fmt/core.h>
#include <functional>
#include <optional>
#include <random>

using namespace pegasus::conformance;
using namespace pegasus::policies;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t seeds = 12;
constexpr int steps = 2500;

// The longest time slice that a decision may give, whatever the credits, at the default tick.
constexpr Nanos max_slice = 1s;
// The longest time from a decision to the next one.
constexpr Nanos max_silence = 1s;

using Rule = std::optional<std::string>; // that is broken, and by what

bool strictly_ordered(std::vector<DomainId> const& ids) {
  return std::ranges::adjacent_find(ids, std::greater_equal{}) == ids.end();
}

bool has_calls(View const& view, DomainId id) {
  auto const found = std::ranges::find(view.domains, id, &DomainView::id);
  return found != view.domains.end() && found->calls_waiting > 0;
}

bool all_present(View const& view, std::vector<DomainId> const& ids) {
  return std::ranges::all_of(ids, [&](DomainId id) {
    return std::ranges::find(view.domains, id, &DomainView::id) != view.domains.end();
  });
}

// `time` is to be after now, and by `most` at the longest.
Rule broken_time(std::string const& name, Time time, Time now, Nanos most) {
  // In halves: absurd times are further apart than 64 bits can say.
  bool const too_late = time > now && time.time_since_epoch() / 2 - now.time_since_epoch() / 2 > most / 2;
  if (time > now && !too_late) return std::nullopt;
  return name + ": now < " + name + " <= now + " + milliseconds(most) + "; now is " +
         milliseconds(now.time_since_epoch()) + ", " + name + " is " + milliseconds(time.time_since_epoch());
}

// Each line is one promise. Returns the first that is broken.
Rule broken_promise(Entry const& entry, Tunables const& tunables, View const& view,
                    Decision const& decision) {
  bool const any_calls = std::ranges::any_of(view.domains, [](auto const& d) { return d.calls_waiting > 0; });
  bool const runs_calls = std::ranges::any_of(decision.run, [&](DomainId id) { return has_calls(view, id); });
  if (!strictly_ordered(decision.run)) return "`run` is ordered by id, each once";
  if (!all_present(view, decision.run)) return "`run` names domains of the View";
  if (!strictly_ordered(decision.wake)) return "`wake` is ordered by id, each once";
  if (!all_present(view, decision.wake)) return "`wake` names domains of the View";
  if (entry.exclusive && decision.run.size() > 1)
    return "exclusive: at most 1 domain runs; `run` has " + std::to_string(decision.run.size());
  bool const may_wait = tunables.hold != Nanos{0} || !entry.work_conserving;
  if (!may_wait && any_calls && !runs_calls) return "work conserving: a domain with calls runs";
  if (decision.run.empty() != (decision.reason == Reason::idle))
    return "the reason is idle when no domain runs, and then only";
  if (!decision.run.empty())
    if (Rule rule = broken_time("until", decision.until, view.now, max_slice)) return rule;
  return broken_time("ask_again", decision.ask_again, view.now, max_silence);
}

// The tunables with which a policy is tried: the usual ones, and hold=auto where it has that.
std::vector<Tunables> variants(Entry const& entry) {
  std::vector<Tunables> all{{}};
  if (std::ranges::find(entry.tunables, "auto", &Tunable::automatic) != entry.tunables.end())
    all.push_back({.hold = automatic_hold});
  return all;
}

// Takes the steps of one case, each of which returns the rule that it saw broken.
template <class Step> void take_steps(Entry const& entry, std::uint64_t seed, int last, Step take) {
  for (int step = 1; step <= last; ++step) {
    Rule rule;
    try {
      rule = take();
    } catch (std::exception const& error) {
      rule = std::string("nothing is thrown; it threw: ") + error.what();
    }
    if (rule) FAIL(broken(entry, *rule, seed, step));
  }
}

// 2 to 8 domains of equal credits, whose calls come and end by chance.
class Crowd {
public:
  static constexpr Nanos kernel = 7ms; // the longest

  explicit Crowd(std::uint64_t seed)
      : engine_(seed), domains_(2 + engine_() % 7), waits_since_(domains_.size(), Time{}) {
    for (DomainId id = 0; DomainView & domain : domains_) {
      domain.id = ++id;
      domain.tasks = 1;
      domain.context_established = true;
    }
  }

  void step(Policy& policy) {
    std::vector<DomainId> const run = policy.decide({.now = now_, .domains = domains_}).run;
    Nanos const passed{
        static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(Nanos{kernel}.count()))};
    now_ += passed;
    for (std::size_t i = 0; i < domains_.size(); ++i) {
      DomainView& domain = domains_[i];
      bool const runs = std::ranges::binary_search(run, domain.id);
      if (runs) domain.device_busy_total += passed;
      if (runs || domain.calls_waiting == 0) waits_since_[i] = now_;
      // Now and then the phase changes: all domains have work, domain 1 alone, some, or none.
      if (phase_left_ == 0) phase_ = engine_() % 4;
      bool const comes_or_stays = domain.calls_waiting > 0 ? engine_() % 6 != 0 : engine_() % 6 == 0;
      domain.calls_waiting = phase_ == 0 || (phase_ == 1 && i == 0) || (phase_ == 2 && comes_or_stays);
    }
    phase_left_ = phase_left_ == 0 ? engine_() % 200 : phase_left_ - 1;
  }

  [[nodiscard]] std::size_t size() const { return domains_.size(); }
  // Of the domain that has waited for the longest at the end of the last step.
  [[nodiscard]] DomainId longest() const {
    return domains_[static_cast<std::size_t>(std::ranges::min_element(waits_since_) - waits_since_.begin())]
        .id;
  }
  [[nodiscard]] Nanos wait_of(DomainId domain) const { return now_ - waits_since_[domain - 1]; }

private:
  std::mt19937_64 engine_;
  std::vector<DomainView> domains_;
  std::vector<Time> waits_since_;
  Time now_{};
  std::uint64_t phase_ = 0;
  std::uint64_t phase_left_ = 100;
};

Rule broken_bound(Entry const& entry, Tunables const& tunables, Crowd const& crowd) {
  auto const n = static_cast<std::int64_t>(crowd.size());
  Nanos const bound = n * (*entry.wait_ticks * tunables.tick + Crowd::kernel);
  DomainId const domain = crowd.longest();
  if (crowd.wait_of(domain) <= bound) return std::nullopt;
  return fmt::format("a domain with calls waits at most n * (wait_ticks ticks + the longest kernel); "
                     "here {} * ({} * {} + {}) = {}, and domain {} has waited {}",
                     n, *entry.wait_ticks, milliseconds(tunables.tick), milliseconds(Crowd::kernel),
                     milliseconds(bound), domain, milliseconds(crowd.wait_of(domain)));
}

} // namespace

TEST_CASE("any View has a valid answer") {
  for (Entry const* const entry : chosen_policies()) {
    for (Tunables const& tunables : variants(*entry))
      for (std::uint64_t const seed : chosen_seeds(seeds)) {
        RandomViews views(seed);
        auto const policy = entry->make(tunables);
        take_steps(*entry, seed, chosen_steps(steps), [&] {
          View const view = views.next();
          return broken_promise(*entry, tunables, view, policy->decide(view));
        });
      }
    SUCCEED(entry->name);
  }
}

TEST_CASE("the same Views have the same answers") {
  for (Entry const* const entry : chosen_policies()) {
    for (std::uint64_t const seed : chosen_seeds(seeds)) {
      RandomViews views(seed);
      RandomViews same_views(seed);
      auto const policy = entry->make(variants(*entry).back());
      auto const twin = entry->make(variants(*entry).back());
      take_steps(*entry, seed, chosen_steps(steps), [&]() -> Rule {
        if (policy->decide(views.next()) == twin->decide(same_views.next())) return std::nullopt;
        return "two policies that were made alike give the same answer to the same Views";
      });
    }
    SUCCEED(entry->name);
  }
}

TEST_CASE("any tick is accepted") {
  for (Entry const* const entry : chosen_policies()) {
    for (std::uint64_t const seed : chosen_seeds(1))
      for (Nanos const tick : {Nanos{0}, Nanos{-5}, Nanos{1}, Nanos{1ms}, Nanos{30ms}, Nanos::max()}) {
        RandomViews views(seed);
        auto const policy = entry->make({.tick = tick});
        take_steps(*entry, seed, chosen_steps(steps), [&]() -> Rule {
          View const view = views.next();
          Decision const decision = policy->decide(view);
          if (decision.ask_again > view.now && (decision.run.empty() || decision.until > view.now))
            return std::nullopt;
          return "`until` and `ask_again` are after now; here with a tick of " + milliseconds(tick);
        });
      }
    SUCCEED(entry->name);
  }
}

TEST_CASE("no domain with calls waits beyond the promised bound") {
  for (Entry const* const entry : chosen_policies()) {
    for (std::uint64_t const seed : chosen_seeds(seeds)) {
      if (!entry->wait_ticks) break; // it promises none
      Tunables const tunables = variants(*entry)[seed % variants(*entry).size()];
      auto const policy = entry->make(tunables);
      Crowd crowd(seed);
      take_steps(*entry, seed, chosen_steps(6'000), [&] {
        crowd.step(*policy);
        return broken_bound(*entry, tunables, crowd);
      });
    }
    SUCCEED(entry->name);
  }
}
