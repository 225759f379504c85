// SPDX-License-Identifier: Apache-2.0
#include "policies/residency/arrange.h"

#include "policies/residency/testing/machine.h"

#include <limits>

using namespace pegasus::residency;
using namespace pegasus::residency::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t MiB = 1 << 20;

Plan arranged(std::string_view policy, std::uint64_t capacity, std::vector<DomainView> const& domains) {
  return arrange(*find(policy), {.capacity = capacity, .granule = 2 * MiB, .domains = domains});
}

} // namespace

TEST_CASE("a part of a granule takes all of it, and the rest of the capacity is no slot") {
  Plan const plan = arranged("static", 11 * MiB, {{.id = 1, .bytes = 3 * MiB}, {.id = 2, .bytes = 6 * MiB}});
  CHECK(plan.slots == 5);
  CHECK(plan.domains[0].own == 2);
  CHECK(plan.domains[1].own == 3);
}

TEST_CASE("what is pinned or reserved is kept, and the policy places the rest") {
  for (Entry const& entry : registry()) {
    INFO(entry.name);
    Plan const plan = arranged(
        entry.name, 20 * MiB,
        {{.id = 1, .bytes = 8 * MiB, .pinned = 2 * MiB, .reserved = 6 * MiB}, {.id = 2, .bytes = 12 * MiB}});
    CHECK(plan.domains[0].kept == 3);
    CHECK(plan.slots == 7);
    CHECK(plan.domains[0].own == 4);
    CHECK(plan.domains[1].own == 6);
  }
}

TEST_CASE("a reservation is of what a domain holds") {
  Plan const plan = arranged("first-fit", 8 * MiB,
                             {{.id = 1, .bytes = 2 * MiB, .reserved = 6 * MiB}, {.id = 2, .bytes = 6 * MiB}});
  CHECK(plan.domains[0].kept == 1);
  CHECK(plan.domains[1].standing == Standing::placed);
}

TEST_CASE("a domain that does not fit beside what others keep is refused") {
  for (Entry const& entry : registry()) {
    INFO(entry.name);
    Plan const plan = arranged(
        entry.name, 8 * MiB, {{.id = 1, .bytes = 6 * MiB, .reserved = 4 * MiB}, {.id = 2, .bytes = 5 * MiB}});
    CHECK(plan.domains[0].standing == Standing::placed);
    CHECK(plan.domains[1].standing == Standing::refused);
    CHECK(plan.domains[1].place.empty());
  }
}

TEST_CASE("a reservation that does not fit beside those of lower ids refuses its domain, a pin stays") {
  Plan const plan = arranged("cost", 8 * MiB,
                             {{.id = 1, .bytes = 4 * MiB, .reserved = 4 * MiB},
                              {.id = 2, .bytes = 6 * MiB, .pinned = 2 * MiB, .reserved = 6 * MiB}});
  CHECK(plan.domains[0].kept == 2);
  CHECK(plan.domains[1].standing == Standing::refused);
  CHECK(plan.domains[1].kept == 1);
}

TEST_CASE("an idle domain keeps only what is pinned or reserved") {
  std::vector<DomainView> const domains{{.id = 1, .bytes = 6 * MiB, .pinned = 2 * MiB, .idle_since = Time{}},
                                        {.id = 2, .bytes = 6 * MiB}};
  for (auto const& [idle_after, standing] : {std::pair{10s, Standing::out}, {11s, Standing::placed}}) {
    Plan const plan = arrange(*find("size"),
                              {.now = Time{10s}, .capacity = 8 * MiB, .granule = 2 * MiB, .domains = domains},
                              {.idle_after = idle_after});
    CHECK((plan.domains[0].standing == standing));
    CHECK(plan.domains[0].kept == 1);
    CHECK(plan.domains[1].shared == (standing == Standing::out ? 0 : 2));
  }
}

TEST_CASE("a domain that holds more has no place any more, the others keep theirs") {
  Machine machine("first-fit", 10);
  machine.come(1, 4).come(2, 4).at(0s);
  machine.come(1, 5).at(1s);
  CHECK(machine.place(2) == Place{{4, 4}});
  CHECK(machine.place(1) == Place{{0, 5}});
}

TEST_CASE("absurd values are bounded, and a View without memory refuses all that holds some") {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  std::vector<DomainView> domains{
      {.id = 1,
       .bytes = most,
       .pinned = most,
       .reserved = most,
       .utilization = -1,
       .turns_per_second = 1e300},
      {.id = 2, .bytes = most, .idle_since = Time::max(), .next_turn = Time::min(), .place = {{most, most}}},
      {.id = 3, .bytes = 1, .turns_per_second = std::numeric_limits<double>::quiet_NaN()}};
  for (Entry const& entry : registry()) {
    INFO(entry.name);
    Plan const plan = arrange(
        entry,
        {.now = Time::max(), .arranged_at = Time::min(), .capacity = most, .granule = 0, .domains = domains});
    CHECK(plan.domains[0].kept <= most);
    CHECK(plan.ask_again == Time::max());
    Plan const without = arrange(entry, {.domains = domains});
    for (DomainPlan const& domain : without.domains)
      CHECK(domain.standing == Standing::refused);
  }
}
