// SPDX-License-Identifier: Apache-2.0
// The promises that every policy of the registry must keep, over random Views. A new policy is covered as
// soon as it has a line in the table.
#include "policies/registry.h"

#include "tests/conformance/random_views.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

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

// Each line is one promise. Returns the first that is broken, nullptr if all are kept.
char const* broken_promise(Entry const& entry, Tunables const& tunables, View const& view,
                           Decision const& decision) {
  bool const any_calls = std::ranges::any_of(view.domains, [](auto const& d) { return d.calls_waiting > 0; });
  bool const runs_calls = std::ranges::any_of(decision.run, [&](DomainId id) { return has_calls(view, id); });
  if (!strictly_ordered(decision.run)) return "`run` is ordered by id, each once";
  if (!all_present(view, decision.run)) return "`run` names domains of the View";
  if (!strictly_ordered(decision.wake)) return "`wake` is ordered by id, each once";
  if (!all_present(view, decision.wake)) return "`wake` names domains of the View";
  if (entry.exclusive && decision.run.size() > 1) return "exclusive: at most one runs";
  bool const may_wait = tunables.hold != Nanos{0} || !entry.work_conserving;
  if (!may_wait && any_calls && !runs_calls) return "work conserving: a domain with calls runs";
  if (decision.run.empty() != (decision.reason == Reason::idle))
    return "the reason is idle when no domain runs";
  if (!decision.run.empty() && decision.until <= view.now) return "a time slice lasts";
  if (!decision.run.empty() && decision.until > view.now + max_slice) return "a time slice is bounded";
  if (decision.ask_again <= view.now) return "it is to be asked again later, not now";
  if (decision.ask_again > view.now + max_silence) return "it is asked again before long";
  return nullptr;
}

// The tunables with which a policy is tried: the usual ones, and hold=auto where it has that.
std::vector<Tunables> variants(Entry const& entry) {
  std::vector<Tunables> all{{}};
  if (std::ranges::find(entry.tunables, "auto", &Tunable::automatic) != entry.tunables.end())
    all.push_back({.hold = automatic_hold});
  return all;
}

} // namespace

TEST_CASE("any View has a valid answer") {
  for (Entry const& entry : registry()) {
    for (Tunables const& tunables : variants(entry))
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        RandomViews views(seed);
        auto const policy = entry.make(tunables);
        for (int step = 0; step < steps; ++step) {
          View const view = views.next();
          Decision const decision = policy->decide(view);
          char const* const broken = broken_promise(entry, tunables, view, decision);
          if (broken == nullptr) continue;
          INFO(entry.name << ", seed " << seed << ", step " << step << ": " << broken);
          REQUIRE(broken == nullptr);
        }
      }
    SUCCEED(entry.name);
  }
}

TEST_CASE("the same Views have the same answers") {
  for (Entry const& entry : registry()) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      INFO(entry.name << ", seed " << seed);
      RandomViews views(seed);
      RandomViews same_views(seed);
      auto const policy = entry.make(variants(entry).back());
      auto const twin = entry.make(variants(entry).back());
      bool same = true;
      for (int step = 0; same && step < steps; ++step)
        same = policy->decide(views.next()) == twin->decide(same_views.next());
      CHECK(same);
    }
  }
}

TEST_CASE("any tick is accepted") {
  for (Entry const& entry : registry()) {
    for (Nanos const tick : {Nanos{0}, Nanos{-5}, Nanos{1}, Nanos{1ms}, Nanos{30ms}, Nanos::max()}) {
      INFO(entry.name << ", tick " << tick.count() << " ns");
      RandomViews views(99);
      auto const policy = entry.make({.tick = tick});
      bool valid = true;
      for (int step = 0; valid && step < steps; ++step) {
        View const view = views.next();
        Decision const decision = policy->decide(view);
        valid = decision.ask_again > view.now && (decision.run.empty() || decision.until > view.now);
      }
      CHECK(valid);
    }
  }
}

TEST_CASE("no domain with calls waits beyond the promised bound") {
  constexpr Nanos kernel = 7ms;
  for (Entry const& entry : registry()) {
    if (!entry.wait_ticks) continue; // it promises none
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      std::mt19937_64 engine(seed);
      auto const n = static_cast<std::int64_t>(2 + engine() % 7);
      std::vector<DomainView> domains(static_cast<std::size_t>(n));
      for (DomainId id = 0; DomainView & domain : domains) {
        domain.id = ++id;
        domain.tasks = 1;
        domain.context_established = true;
      }
      std::vector<Time> waits_since(domains.size(), Time{});
      Tunables const tunables = variants(entry)[seed % variants(entry).size()];
      auto const policy = entry.make(tunables);
      Nanos const bound = n * (*entry.wait_ticks * tunables.tick + kernel);
      Nanos longest{0};
      Time now{};
      std::uint64_t phase = 0;
      std::uint64_t phase_left = 100;
      for (int step = 0; step < 6'000; ++step) {
        std::vector<DomainId> const run = policy->decide({.now = now, .domains = domains}).run;
        Nanos const passed{static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(kernel.count()))};
        now += passed;
        for (std::size_t i = 0; i < domains.size(); ++i) {
          DomainView& domain = domains[i];
          bool const runs = std::ranges::binary_search(run, domain.id);
          if (runs) domain.device_busy_total += passed;
          if (runs || domain.calls_waiting == 0) waits_since[i] = now;
          longest = std::max(longest, now - waits_since[i]);
          // Now and then the phase changes: all domains have work, domain 1 alone, some, or none.
          if (phase_left == 0) phase = engine() % 4;
          bool const comes_or_stays = domain.calls_waiting > 0 ? engine() % 6 != 0 : engine() % 6 == 0;
          domain.calls_waiting = phase == 0 || (phase == 1 && i == 0) || (phase == 2 && comes_or_stays);
        }
        phase_left = phase_left == 0 ? engine() % 200 : phase_left - 1;
      }
      INFO(entry.name << ", seed " << seed << ", " << n << " domains, longest wait " << longest.count()
                      << " ns");
      CHECK(longest <= bound);
    }
  }
}
