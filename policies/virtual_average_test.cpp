// SPDX-License-Identifier: Apache-2.0
#include "policies/virtual_average.h"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

using namespace pegasus::policies;
using namespace std::chrono_literals;

TEST_CASE("the average is by weight, and follows domains that come and go") {
  VirtualAverage average;
  average.add(10ms, 1);
  CHECK(average.value() == 10ms);
  average.add(2ms, 3);
  CHECK(average.value() == 4ms);
  average.remove(10ms, 1);
  CHECK(average.value() == 2ms);
  average.remove(2ms, 3);
  CHECK(average.value() == 2ms);
  CHECK(average.weight() == 0);
  average.add(-7ns, 5);
  CHECK(average.value() == -7ns);
}

TEST_CASE("the average is rounded down, and nothing is lost in a thousand changes") {
  std::mt19937_64 engine(1);
  struct Member {
    Nanos time;
    std::int64_t weight;
  };
  std::vector<Member> members;
  VirtualAverage average;
  for (int i = 0; i < 1000; ++i) {
    if (members.size() > 20) {
      average.remove(members.front().time, members.front().weight);
      members.erase(members.begin());
    }
    members.push_back({Nanos{static_cast<std::int64_t>(engine() % 20'000'000) - 10'000'000},
                       1 + static_cast<std::int64_t>(engine() % 65535)});
    average.add(members.back().time, members.back().weight);
    std::int64_t sum = 0;
    std::int64_t weight = 0;
    for (Member const& member : members) {
      sum += member.weight * member.time.count();
      weight += member.weight;
    }
    REQUIRE(average.weight() == weight);
    REQUIRE(average.value().count() * weight <= sum);
    REQUIRE((average.value().count() + 1) * weight > sum);
  }
}
