// SPDX-License-Identifier: Apache-2.0
#include "domA/placement/waiting_line.h"

#include <catch2/catch.hpp>

using namespace pegasus::placement;
using pegasus::policies::Time;
using namespace std::chrono_literals;

namespace {

using Ids = std::vector<WaitingLine::DomainId>;

Ids order(WaitingLine const& line) {
  Ids ids;
  for (WaitingLine::Place const& place : line.places())
    ids.push_back(place.domain);
  return ids;
}

} // namespace

TEST_CASE("domains keep the order of arrival however often they ask") {
  WaitingLine line;
  line.ask(3, Time{});
  line.ask(1, Time{1s});
  line.ask(2, Time{2s});
  for (Time now{2s}; now < Time{10s}; now += 1s) {
    line.ask(2, now);
    line.ask(1, now);
    line.ask(3, now);
    CHECK_FALSE(line.drop_silent(now));
  }
  CHECK(order(line) == Ids{3, 1, 2});
  CHECK(line.before(3) == 0);
  CHECK(line.before(2) == 2);
  CHECK(line.before(4) == 3);
  CHECK(line.since(1) == std::optional<WaitingLine::Time>(1s));
}

TEST_CASE("a domain has one place, however many of its programs ask") {
  WaitingLine line;
  for (int program = 0; program < 1000; ++program)
    line.ask(7, Time{});
  CHECK(order(line) == Ids{7});
  CHECK(line.remove(7));
  CHECK_FALSE(line.remove(7));
  CHECK(line.places().empty());
  CHECK_FALSE(line.since(7));
}

TEST_CASE("a domain that does not ask loses its place, and comes last when it asks again") {
  WaitingLine line;
  line.ask(1, Time{});
  line.ask(2, Time{1s});
  CHECK_FALSE(line.drop_silent(Time{} + WaitingLine::max_silence));
  CHECK(line.drop_silent(Time{500ms} + WaitingLine::max_silence));
  CHECK(order(line) == Ids{2});
  line.ask(1, Time{6s});
  CHECK(order(line) == Ids{2, 1});
  CHECK(line.since(1) == std::optional<WaitingLine::Time>(6s));
}
