// SPDX-License-Identifier: Apache-2.0
// What `cost` promises of the granules that it copies, beside size and utilization, over random sets of domains.
#include "policies/residency/cost.h"
#include "policies/residency/expected_copies.h"
#include "policies/residency/overlay.h"
#include "policies/residency/size.h"
#include "policies/residency/utilization.h"

#include "policies/residency/testing/machine.h"

#include <array>
#include <map>
#include <random>
#include <string>

using namespace pegasus::residency;
using namespace pegasus::residency::testing;
using namespace std::chrono_literals;

namespace {

constexpr unsigned sets = 1000;

// 2 to 15 domains of up to all slots each; all have equal turns, or each up to 60 a second.
class RandomSet {
public:
  RandomSet(std::uint64_t seed, bool equal_turns) : engine_(seed), slots_(10 + engine_() % 60) {
    std::uint64_t const most = 1 + engine_() % slots_;
    for (std::uint64_t n = 2 + engine_() % 14; n > 0; --n)
      problem_.domains.push_back({.slots = 1 + engine_() % most,
                                  .turns = equal_turns ? 1 : static_cast<double>(1 + engine_() % 60)});
    for (Candidate& domain : problem_.domains)
      domain.utilization = domain.turns / 60;
    problem_.slots = slots_;
  }

  [[nodiscard]] Problem const& problem() const { return problem_; }

  // Copied in, after a first round in which all is.
  [[nodiscard]] std::uint64_t copied(std::string_view policy) const {
    Machine machine(policy, slots_);
    DomainId id = 0;
    for (Candidate const& domain : problem_.domains)
      machine.come(++id, domain.slots, domain.turns, domain.utilization);
    machine.at(0s);
    (void)machine.rounds(60);
    return machine.rounds(600);
  }

private:
  std::mt19937_64 engine_;
  std::uint64_t slots_;
  Problem problem_;
};

double bound_of(Problem const& problem, std::vector<std::uint64_t> const& shared) {
  double sum = 0;
  for (std::size_t i = 0; i < shared.size(); ++i)
    sum += problem.domains[i].turns * static_cast<double>(shared[i]);
  return sum;
}

double least_bound(Problem const& problem, std::vector<std::uint64_t> const& lengths) {
  double least = 1e300;
  for (std::uint64_t const length : lengths)
    if (auto const shared = fill_overlay(problem, length))
      least = std::min(least, bound_of(problem, *shared));
  return least;
}

} // namespace

TEST_CASE("the lengths that cost tries have the least bound of all lengths") {
  for (std::uint64_t seed = 0; seed < sets; ++seed) {
    Problem const problem = RandomSet(seed, seed % 2 == 0).problem();
    std::vector<std::uint64_t> all(problem.slots + 1);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    INFO("seed " << seed);
    REQUIRE(least_bound(problem, overlay_lengths(problem)) == Approx(least_bound(problem, all)));
  }
}

TEST_CASE("cost expects no more copies than size, utilization and any of the overlays") {
  for (std::uint64_t seed = 0; seed < sets; ++seed) {
    Problem const problem = RandomSet(seed, false).problem();
    double const expected = expected_copies(problem, places_by_cost(problem));
    INFO("seed " << seed);
    REQUIRE(expected <= expected_copies(problem, places_by_size(problem)));
    REQUIRE(expected <= expected_copies(problem, places_by_utilization(problem)));
    REQUIRE(expected <= least_bound(problem, overlay_lengths(problem)) * (1 + 1e-9));
  }
}

TEST_CASE("in round robin cost copies no more than any other policy that shares") {
  for (std::uint64_t seed = 0; seed < sets / 5; ++seed) {
    RandomSet const set(seed, true);
    std::uint64_t const cost = set.copied("cost");
    INFO("seed " << seed);
    for (std::string_view const other : {"first-fit", "least-crowded", "size", "utilization"})
      REQUIRE(cost <= set.copied(other));
  }
}

TEST_CASE("with turns of different frequency cost copies no more on average, and seldom more") {
  std::uint64_t sum_of_cost = 0;
  std::uint64_t sum_of_better = 0;
  unsigned worse = 0;
  double worst = 1;
  for (std::uint64_t seed = 0; seed < sets; ++seed) {
    RandomSet const set(seed, false);
    std::uint64_t const cost = set.copied("cost");
    std::uint64_t const better = std::min(set.copied("size"), set.copied("utilization"));
    sum_of_cost += cost;
    sum_of_better += better;
    if (cost <= better) continue;
    ++worse;
    worst = std::max(worst, static_cast<double>(cost) / static_cast<double>(better));
  }
  INFO(sum_of_cost << " copies, " << sum_of_better << " of the better of the others; more in " << worse
                   << " sets, at most by a factor of " << worst);
  CHECK(sum_of_cost < sum_of_better);
  CHECK(worse <= sets / 20);
  CHECK(worst < 1.1);
}

TEST_CASE("on DymGPU's sets cost copies no more than the better of size and utilization") {
  struct Set {
    unsigned low, medium, high; // domains of that utilization: Table II
  };
  constexpr std::array sets_of_paper{Set{11, 2, 2}, Set{2, 2, 11}, Set{3, 6, 6}, Set{6, 3, 6}, Set{6, 6, 3}};
  constexpr std::array<std::uint64_t, 3> sizes{6, 11, 16}; // slots of 64 MB
  // Turns of the three classes, assumed.
  std::vector<std::array<double, 3>> const classes{{0.1, 0.5, 1.0}, {0.25, 0.5, 1.0}, {0.3, 0.6, 0.9}};
  for (Set const& set : sets_of_paper)
    for (std::array<double, 3> const& turns : classes) {
      std::map<std::string, std::uint64_t> copied;
      for (std::string const policy : {"size", "utilization", "cost"}) {
        Machine machine(policy, 54);
        for (unsigned i = 0; i < 15; ++i) {
          double const part = i < set.low ? turns[0] : i < set.low + set.medium ? turns[1] : turns[2];
          machine.come(i + 1, sizes[i % 3], part * 4, part);
        }
        machine.at(0s);
        (void)machine.rounds(60);
        copied[policy] = machine.rounds(600);
      }
      INFO("set " << set.low << " " << set.medium << " " << set.high << ", low " << turns[0]);
      CHECK(copied["cost"] <= std::min(copied["size"], copied["utilization"]));
    }
}
